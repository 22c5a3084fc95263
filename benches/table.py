"""The raw values as tables: medians of each contender, and ratios of medians."""

import statistics


def rows(title, head, lines):
    cells = [head, ["---"] * len(head), *lines]
    return ["", f"## {title}", "", *("| " + " | ".join(map(str, line)) + " |" for line in cells)]


def engine(result):
    lines = []
    for name, runs in result["engine"].items():
        def rates(kind):
            return [value for run in runs if run["engine"] == kind for value in run["mb_per_s"]]
        ours, copy, plain = rates("weighbridge"), rates("asm-copy"), rates("asm-plain")
        median = [statistics.median(values) for values in (ours, copy, plain)]
        best = [max(values) for values in (ours, copy, plain)]
        lines.append([name, runs[0]["classes"], runs[0]["probes"], *(f"{rate:.0f}" for rate in median),
                      f"{median[0] / median[1]:.1f}x", f"{median[0] / median[2]:.1f}x",
                      *(f"{rate:.0f}" for rate in best[:2]), f"{best[0] / best[1]:.1f}x"])
    head = ["jar", "classes", "probes", "weighbridge", "ASM copy", "ASM plain", "over copy", "over plain",
            "best weighbridge", "best ASM copy", "best over best"]
    return rows("Engine, one thread, MB per CPU second (medians; then the best rounds)", head, lines)


def process(result):
    lines = []
    for name, both in result["process"].items():
        a, b = both["weighbridge"]["median"], both["jacoco"]["median"]
        lines.append([name, f"{a['wall_s']:.2f}", f"{b['wall_s']:.2f}", f"{b['wall_s'] / a['wall_s']:.1f}x",
                      f"{a['cpu_s']:.2f}", f"{b['cpu_s']:.2f}", f"{b['cpu_s'] / a['cpu_s']:.1f}x",
                      f"{a['rss_kib'] / 1024:.0f}", f"{b['rss_kib'] / 1024:.0f}", f"1/{b['rss_kib'] / a['rss_kib']:.1f}"])
    head = ["jar", "wall s", "jacococli", "ratio", "CPU s", "jacococli", "ratio", "peak MiB", "jacococli", "share"]
    return rows("Whole process, everything instrumented", head, lines)


def copy(result):
    lines = []
    for name, runs in result["copy"].items():
        ms = {kind: 1000 * runs[kind]["median"]["wall_s"] for kind in ("cp", "none", "one") if kind in runs}
        one = [f"{ms['one']:.1f}", f"{ms['one'] / ms['none']:.2f}x"] if "one" in ms else ["", ""]
        lines.append([name, f"{runs['bytes'] / 1e6:.0f}", f"{ms['cp']:.1f}", f"{ms['none']:.1f}",
                      f"{ms['none'] / ms['cp']:.2f}x", *one])
    head = ["jar", "MB", "cp", "none", "none over cp", "one", "one over none"]
    return rows("Nothing or one class matches, wall ms", head, lines)


def memory(result):
    lines = [[name, f"{run['bytes'] / 1e6:.0f}", f"{run['weighbridge']['median']['rss_kib'] / 1024:.1f}"]
             for name, run in sorted(result["memory"].items(), key=lambda item: -item[1]["bytes"])]
    return rows("Peak resident size, everything instrumented", ["jar", "MB", "peak MiB"], lines)


def levels(result):
    lines = []
    for name, by_level in result["levels"].items():
        six = by_level["6"]
        for level, run in by_level.items():
            median = run["median"]
            lines.append([name, level, run["bytes"], f"{100 * (run['bytes'] / six['bytes'] - 1):+.2f} %",
                          f"{median['cpu_s']:.2f}", f"{median['cpu_s'] / six['median']['cpu_s']:.2f}x",
                          f"{median['wall_s']:.2f}"])
    head = ["jar", "level", "bytes", "over level 6", "CPU s", "over level 6", "wall s"]
    return rows("Deflate levels, everything instrumented", head, lines)


def startup(result):
    start = {name: 1000 * runs["median"]["wall_s"] for name, runs in result["startup"].items()}
    return ["", f"Startup to a usage error: {start['weighbridge']:.1f} ms; `/bin/true` {start['true']:.1f} ms."]


PARTS = {"engine": engine, "process": process, "copy": copy, "memory": memory, "levels": levels, "startup": startup}


def of(result):
    """All measured parts."""
    machine, versions = result["machine"], result["versions"]
    load = f"Load before {result['load_before']:.1f}"
    if "load_after" in result:
        load += f", after {result['load_after']:.1f}"
    lines = [
        f"# Rewriter, {result['date']}", "",
        f"Written by `{result['command']}`; raw values in the JSON file of the same name.", "",
        f"{machine['cores']} cores ({machine['cpu']}), {machine['memory_gib']} GiB, {machine['system']}; "
        f"{versions['java']}, {versions['rustc']}, ASM {versions['asm']}, JaCoCo {versions['jacoco']}, "
        f"commit {versions['commit']}. {load}: wall times include the waiting for others.",
    ]
    for name, part in PARTS.items():
        if name in result:
            lines += part(result)
    return "\n".join([*lines, ""])
