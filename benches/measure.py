"""Measurements: contenders run in turn, with one raw value per run."""

import datetime
import json
import os
import pathlib
import platform
import re
import shutil
import statistics
import subprocess
import sys
import time
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
ASM, JACOCO = "9.8", "0.8.13"
JARS = {
    "scala-library": "org.scala-lang:scala-library:2.13.16",
    "spark-core": "org.apache.spark:spark-core_2.13:3.5.4",
    "kotlin-compiler": "org.jetbrains.kotlin:kotlin-compiler-embeddable:2.1.0",
    "scala3-compiler": "org.scala-lang:scala3-compiler_3:3.6.2",
    "jruby-complete": "org.jruby:jruby-complete:9.4.12.0",
    "jython": "org.python:jython-standalone:2.7.4",
    "rocksdbjni": "org.rocksdb:rocksdbjni:9.8.4",
}
COMPARED = ["scala-library", "spark-core", "kotlin-compiler"]
BIG = ["kotlin-compiler", "scala3-compiler", "jython", "spark-core", "scala-library"]
LEVELS = [1, 3, 4, 5, 6, 7, 8, 9, 12]


def text(*command):
    return subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True).stdout


def say(what):
    print(time.strftime("%H:%M:%S"), what, file=sys.stderr, flush=True)


def fetch(folder, coordinates, classifier=""):
    _, artifact, version = coordinates.split(":")
    jar = folder / f"{artifact}-{version}{'-' + classifier if classifier else ''}.jar"
    if not jar.exists():
        whole = f"{coordinates}:jar:{classifier}" if classifier else coordinates
        text("mvn", "-q", "-B", "dependency:copy", f"-Dartifact={whole}", f"-DoutputDirectory={folder}")
    return jar


def big_jar(folder, parts):
    """One jar of over 100 MB, merged from several without their nested archives."""
    jar = folder / "big.jar"
    if not jar.exists():
        seen = set()
        with zipfile.ZipFile(jar, "w") as out:
            for part in parts:
                with zipfile.ZipFile(part) as archive:
                    for entry in archive.infolist():
                        nested = entry.filename.endswith((".jar", ".war", ".zip"))
                        if entry.filename in seen or entry.is_dir() or nested:
                            continue
                        seen.add(entry.filename)
                        out.writestr(entry, archive.read(entry), entry.compress_type, 6)
    return jar


def once(command, output):
    """Wall seconds, CPU seconds and peak resident KiB of a process and its children, and its exit code."""
    shutil.rmtree(output, ignore_errors=True) if output.is_dir() else output.unlink(missing_ok=True)
    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    return {"wall_s": wall, "cpu_s": usage.ru_utime + usage.ru_stime, "rss_kib": usage.ru_maxrss}, process.returncode


def turns(rounds, contenders, code=0, warm_ups=1):
    """Runs contenders in turn, after warm-up rounds; medians and raw values of each."""
    raw = {name: [] for name in contenders}
    for counted in [False] * warm_ups + [True] * rounds:
        for name, (command, output) in contenders.items():
            measured, exit_code = once([str(part) for part in command], output)
            if exit_code != (0 if name == "true" else code):
                raise SystemExit(f"{name} ended with exit code {exit_code}: {command}")
            if counted:
                raw[name].append(measured)
    keys = ("wall_s", "cpu_s", "rss_kib")
    return {
        name: {"median": {key: statistics.median(run[key] for run in runs) for key in keys}, "runs": runs}
        for name, runs in raw.items()
    }


def engine(jars, folder, asm, rounds):
    """Runs the engines in turn, as `ours, copy, ours, plain, ours`; both must insert the same probes."""
    found = text("cargo", "bench", "-q", "-p", "weighbridge-rewriter", "--bench", "constructors", "--no-run",
                 "--message-format=json", "--manifest-path", ROOT / "Cargo.toml")
    ours = re.findall(r'"executable":"([^"]*constructors-[^"]*)"', found)[-1]
    classes = folder / "asm-classes"
    text("javac", "-cp", asm, "-d", classes, ROOT / "benches/asm/ConstructorCalls.java")
    java = ["java", "-Xmx2g", "-XX:+UseSerialGC", "-cp", f"{asm}:{classes}", "ConstructorCalls"]
    results = {}
    for name, jar in jars.items():
        say(f"engine {name}")
        commands = [[ours, jar, rounds], [*java, jar, "copy", rounds], [ours, jar, rounds], [*java, jar, "plain", rounds],
                    [ours, jar, rounds]]
        runs = [json.loads(text(*command)) for command in commands]
        check_same_work(name, runs)
        results[name] = runs
    return results


def check_same_work(name, runs):
    """Fails unless ASM's probes are at the returns of exactly the constructors that have ours.

    If a constructor reuses local 0, we insert one probe after `super(...)`, whatever the number of its returns.
    """
    work = {(run["classes"], run.get("returns", run["probes"])) for run in runs}
    if len(work) != 1:
        raise SystemExit(f"{name}: not the same work, classes and returns with probes are {work}")


def settings(folder, name, pattern):
    path = folder / f"{name}.toml"
    path.write_text(f'version = 1\n[instrument]\ninclude = ["{pattern}"]\n')
    return path


def environment(tool):
    version = subprocess.run(["java", "-version"], capture_output=True, text=True).stderr.splitlines()[0]
    cpu = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "")
    return {
        "date": datetime.date.today().isoformat(),
        "machine": {"cores": os.cpu_count(), "cpu": f"{cpu} {platform.machine()}".strip(),
                    "system": f"{platform.system()} {platform.release()}",
                    "memory_gib": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30)},
        "versions": {"weighbridge": text(tool, "--version").strip(), "asm": ASM, "jacoco": JACOCO, "java": version,
                     "commit": text("git", "-C", ROOT, "rev-parse", "--short", "HEAD").strip(),
                     "rustc": text("rustc", "--version").strip(), "jars": JARS},
    }


def built():
    """The release binary."""
    text("cargo", "build", "-q", "--release", "-p", "weighbridge", "--manifest-path", ROOT / "Cargo.toml")
    metadata = json.loads(text("cargo", "metadata", "--no-deps", "--format-version=1",
                               "--manifest-path", ROOT / "Cargo.toml"))
    return pathlib.Path(metadata["target_directory"]) / "release/weighbridge"


def everything(rounds, folder, more, save):
    """Measures part after part; `save` gets the results after each."""
    tool = built()
    jars = {name: fetch(folder, coordinates) for name, coordinates in JARS.items()}
    compared = {name: jars[name] for name in COMPARED}
    asm = fetch(folder, f"org.ow2.asm:asm:{ASM}")
    jacoco = fetch(folder, f"org.jacoco:org.jacoco.cli:{JACOCO}", "nodeps")
    big = big_jar(folder, [jars[name] for name in BIG])
    all_, nothing = settings(folder, "all", "**"), settings(folder, "none", "no.such.Name")
    one = settings(folder, "one", "org.apache.spark.SparkContext")
    ours, theirs, idle = folder / "ours.jar", folder / "theirs", folder / "nothing"

    def instrument(jar, config, *more):
        return [tool, "instrument", jar, "--config", config, "--allow-empty", "-o", ours, *more], ours

    result = {**environment(tool), "load_before": os.getloadavg()[0]}
    result["engine"] = engine(compared, folder, asm, rounds)
    save(result)
    result["process"] = {}
    for name, jar in compared.items():
        say(f"process {name}")
        java = ["java", "-jar", jacoco, "instrument", jar, "--dest", theirs]
        contenders = {"weighbridge": instrument(jar, all_), "jacoco": (java, theirs)}
        result["process"][name] = turns(max(2, rounds // 3), contenders)
    save(result)
    result["copy"] = {}
    for name, jar in [*compared.items(), ("big", big)]:
        say(f"copy {name}")
        contenders = {"cp": (["cp", jar, folder / "copy.jar"], folder / "copy.jar"), "none": instrument(jar, nothing)}
        if name == "big":
            contenders["one"] = instrument(jar, one)
        result["copy"][name] = {"bytes": jar.stat().st_size, **turns(3 * rounds, contenders)}
    say("startup")
    contenders = {"true": (["/bin/true"], idle), "weighbridge": ([tool, "instrument"], idle)}
    result["startup"] = turns(5 * rounds, contenders, code=2)
    save(result)
    result["memory"] = {}
    for name, jar in [*jars.items(), *((jar.stem, jar) for jar in more)]:
        say(f"memory {name}")
        result["memory"][name] = {"bytes": jar.stat().st_size, **turns(1, {"weighbridge": instrument(jar, all_)}, warm_ups=0)}
    save(result)
    result["levels"] = {}
    for name in ("scala-library", "spark-core"):
        for level in LEVELS:
            say(f"level {level} {name}")
            command = instrument(jars[name], all_, "--level", str(level))
            measured = turns(max(1, rounds // 3), {"weighbridge": command}, warm_ups=0)["weighbridge"]
            result["levels"].setdefault(name, {})[str(level)] = {"bytes": ours.stat().st_size, **measured}
    result["load_after"] = os.getloadavg()[0]
    save(result)
