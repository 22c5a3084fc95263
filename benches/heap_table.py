"""Tables of the results of benches/run-heap."""

from table import rows


def of(result):
    """All tasks on all dumps."""
    machine, versions = result["machine"], result["versions"]
    lines = [
        f"# Heap dumps, {result['date']}", "",
        "Written by `benches/run-heap`, in several runs; raw values in the JSON file of the same name.", "",
        f"{machine['cores']} cores ({machine['cpu']}), {machine['memory_gib']} GiB, {machine['system']}; "
        + ", ".join(f"{name} {version}" for name, version in versions.items()) + ".",
    ]
    dumps = sorted(result["dumps"].items(), key=lambda item: float(item[0]))
    for scale, dump in dumps:
        lines += ["", f"## Scale {scale}: {dump['bytes'] / 1e6:.0f} MB, {dump['objects'] / 1e6:.2f} million objects"]
        for task, runs in dump["tasks"].items():
            for number, run in enumerate(runs):
                lines += contenders(task if len(runs) == 1 else f"{task}, run {number + 1}", run, dump["objects"])
    return "\n".join([*lines, *scaling(dumps), *model(dumps), ""])


def contenders(task, run, objects):
    """The first value, and the others relative to it."""
    lines = []
    first = None
    for name, measured in run["contenders"].items():
        median = measured["median"]
        first = first or median
        cells = [name, len(measured["runs"]), f"{median['cpu_s']:.2f}", f"{median['wall_s']:.2f}",
                 f"{median['rss_kib'] / 1024:.0f}", f"{1e6 * median['cpu_s'] / objects:.3f}"]
        ratios = [f"{median[key] / first[key]:.2f}x" for key in ("cpu_s", "rss_kib")]
        lines.append([*cells, *ratios])
    head = ["contender", "rounds", "CPU s", "wall s", "peak MiB", "CPU microseconds an object", "CPU", "peak"]
    return rows(f"{task} (medians; load {run['load']:.1f})", head, lines)


def scaling(dumps):
    """CPU time per object, by the size of the dump."""
    lines = []
    for task, contender in (("dominators", "weighbridge"), ("histogram", "weighbridge --all"), ("histogram", "weighbridge")):
        figures = []
        for _, dump in dumps:
            runs = [run["contenders"][contender]["median"]["cpu_s"] for run in dump["tasks"].get(task, [])
                    if contender in run["contenders"]]
            if runs:
                figures.append(1e6 * min(runs) / dump["objects"])
        if len(figures) > 1:
            lines.append([f"{task}: {contender}", *(f"{figure:.3f}" for figure in figures),
                          f"{max(figures) / min(figures):.2f}x"])
    if not lines or len({len(line) for line in lines}) != 1:
        return []
    head = ["CPU microseconds an object", *(f"{dump['objects'] / 1e6:.0f} million" for _, dump in dumps), "greatest over least"]
    return ["", "## CPU by the size of the dump", *rows("The least of the medians of all runs", head, lines)]


def model(dumps):
    """The bound of the memory model, and the measured peak."""
    lines = []
    for _, dump in dumps:
        for task, contender in (("histogram", "weighbridge"), ("dominators", "weighbridge"), ("waste", "weighbridge waste")):
            peaks = [run["contenders"][contender]["median"]["rss_kib"] for run in dump["tasks"].get(task, [])
                     if contender in run["contenders"]]
            if peaks:
                bound, peak = dump["model_bytes"][task] / 2**20, max(peaks) / 1024
                lines.append([f"{dump['objects'] / 1e6:.2f} million", task, f"{bound:.0f}", f"{peak:.0f}",
                              f"{100 * (bound / peak - 1):+.0f} %"])
    head = ["objects", "task", "bound MiB (`--memory`)", "measured peak MiB", "bound over measured"]
    return ["", "## The memory model", *rows("docs/heap-memory.md, against the kernel's figure", head, lines)]
