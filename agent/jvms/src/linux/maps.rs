//! `/proc/PID/maps` (proc_pid_maps(5)): the files that a process has mapped.

use std::path::{Path, PathBuf};

use crate::Vm;

/// What the mapped files tell. Paths are those of the process's own file system.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Maps {
    /// The virtual machine; `None` if the process is no JVM.
    pub(super) vm: Option<Vm>,
    /// The `libjvm.so`.
    pub(super) libjvm: Option<PathBuf>,
    /// The JVM's performance data, `hsperfdata_USER/PID`.
    pub(super) performance_data: Option<PathBuf>,
    /// The file whose name begins with `libweighbridge`.
    pub(super) weighbridge: Option<PathBuf>,
}

impl Maps {
    /// Reads the lines.
    pub(super) fn parse(text: &str) -> Maps {
        let mut maps = Maps::default();
        let mut openj9 = false;
        // No column before the path has a slash.
        for path in text.lines().filter_map(|line| line.find('/').map(|start| &line[start..])) {
            let path = Path::new(path.strip_suffix(" (deleted)").unwrap_or(path));
            let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let (file, folder) = (name(path), path.parent().map(name).unwrap_or_default());
            // OpenJ9 has a libjvm.so too, which leads to this one.
            openj9 |= file.starts_with("libj9vm");
            let wanted = if file == "libjvm.so" {
                &mut maps.libjvm
            } else if folder.starts_with("hsperfdata_") {
                &mut maps.performance_data
            } else if file.starts_with("libweighbridge") {
                &mut maps.weighbridge
            } else {
                continue;
            };
            wanted.get_or_insert_with(|| path.to_owned());
        }
        maps.vm = match openj9 {
            true => Some(Vm::OpenJ9),
            false => maps.libjvm.as_ref().map(|_| Vm::HotSpot),
        };
        maps
    }
}

#[cfg(test)]
mod tests {
    use super::Maps;
    use crate::Vm;

    const HOTSPOT: &str = "\
7f26-7f27 r-xp 00000000 fe:00 549 /opt/a jdk/lib/server/libjvm.so
7f27-7f28 rw-p 00001000 fe:00 549 /opt/a jdk/lib/server/libjvm.so
7f28-7f29 rw-s 00000000 fe:00 12                         /tmp/hsperfdata_jo/42
7f29-7f2a r-xp 00000000 fe:00 13                         /tmp/libweighbridge-1.so (deleted)
7f2a-7f2b rw-p 00000000 00:00 0                          [heap]
7f2b-7f2c rw-p 00000000 00:00 0
";

    #[test]
    fn mapped_files_tell_the_vm_and_the_agent() {
        let maps = Maps::parse(HOTSPOT);
        assert_eq!(maps.vm, Some(Vm::HotSpot));
        assert_eq!(maps.libjvm.as_deref(), Some("/opt/a jdk/lib/server/libjvm.so".as_ref()));
        assert_eq!(maps.performance_data.as_deref(), Some("/tmp/hsperfdata_jo/42".as_ref()));
        assert_eq!(maps.weighbridge.as_deref(), Some("/tmp/libweighbridge-1.so".as_ref()));
    }

    #[test]
    fn openj9_is_told_from_hotspot_though_both_have_libjvm() {
        let text = "1-2 r-xp 0 fe:00 5 /jre/lib/server/libjvm.so\n2-3 r-xp 0 fe:00 6 /jre/lib/default/libj9vm29.so\n";
        assert_eq!(Maps::parse(text).vm, Some(Vm::OpenJ9));
    }

    #[test]
    fn a_file_with_a_similar_name_makes_no_jvm() {
        assert_eq!(Maps::parse("1-2 r-xp 0 fe:00 5 /lib/libjvm.so.bak\n3-4 rw-p 0 00:00 0\n"), Maps::default());
    }
}
