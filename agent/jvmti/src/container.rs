//! The memory of the control group that this process is in (cgroup v2, then v1).

use std::fs;
use std::path::{Path, PathBuf};

/// Where the kernel shows control groups.
const V2: &str = "/sys/fs/cgroup";
const V1: &str = "/sys/fs/cgroup/memory";

/// Bytes in use, without file pages that the kernel drops before it ends anything, and the limit. `None` without a limit.
pub(crate) fn memory() -> Option<(u64, u64)> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    let of = |controller: &str| {
        groups.lines().find_map(|line| {
            let (_, rest) = line.split_once(':')?;
            let (controllers, path) = rest.split_once(':')?;
            controllers.split(',').any(|one| one == controller).then(|| path.trim_start_matches('/').to_owned())
        })
    };
    let v2 = of("").and_then(|path| {
        nearest(Path::new(V2), &path, ["memory.current", "memory.max", "memory.stat"], "inactive_file ")
    });
    v2.or_else(|| {
        let files = ["memory.usage_in_bytes", "memory.limit_in_bytes", "memory.stat"];
        nearest(Path::new(V1), &of("memory")?, files, "total_inactive_file ")
    })
}

/// The figures of the group, or of the nearest group around it that has a limit. In a container only that is mounted.
fn nearest(mount: &Path, path: &str, [current, limit, stat]: [&str; 3], dropped: &str) -> Option<(u64, u64)> {
    let inside: PathBuf = mount.join(path);
    inside.ancestors().take_while(|folder| folder.starts_with(mount)).find_map(|folder| {
        let number = |file: &str| fs::read_to_string(folder.join(file)).ok()?.trim().parse::<u64>().ok();
        // Without a limit: `max`, or nearly 2^63.
        let limit = number(limit).filter(|&limit| limit < 1 << 60)?;
        let stat = fs::read_to_string(folder.join(stat)).unwrap_or_default();
        let dropped = stat.lines().find_map(|line| line.strip_prefix(dropped)?.parse::<u64>().ok()).unwrap_or(0);
        Some((number(current)?.saturating_sub(dropped), limit))
    })
}
