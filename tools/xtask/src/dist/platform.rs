//! What a machine is called in each registry.

use anyhow::{Result, bail};

use super::needs::{Glibc, Needs};

/// The machines that one binary runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Platform {
    /// `x86_64` or `aarch64`.
    pub processor: &'static str,
    /// The oldest glibc that the binary starts with. `None`: it is static, and starts with any C library.
    pub program: Option<Glibc>,
    /// The oldest glibc of the JVMs that load the agent.
    pub agent: Glibc,
}

/// The libraries that every machine with glibc has: those that PEP 600 lets a wheel use, as far as we use them, and loaders.
const EVERYWHERE: [&str; 9] = [
    "ld-linux-aarch64.so.1",
    "ld-linux-x86-64.so.2",
    "libc.so.6",
    "libdl.so.2",
    "libgcc_s.so.1",
    "libm.so.6",
    "libpthread.so.0",
    "librt.so.1",
    "libutil.so.1",
];

/// The processors and their names in npm, which the main package lists.
pub const PROCESSORS: [(&str, &str); 2] = [("x86_64", "x64"), ("aarch64", "arm64")];

impl Platform {
    /// The platform of a binary, from what it and the agents in it need.
    ///
    /// # Errors
    /// They are for different machines, or need what not every machine has.
    pub fn new(program: &Needs, agent: &Needs) -> Result<Platform> {
        for (what, needs) in [("the binary", program), ("its agent", agent)] {
            if let Some(library) = needs.libraries.iter().find(|name| !EVERYWHERE.contains(&name.as_str())) {
                bail!("{what} needs {library}, which not every machine has");
            }
        }
        if program.processor != agent.processor {
            bail!("the binary is for {}, its agent for {}", program.processor, agent.processor);
        }
        let Some(agent_glibc) = agent.glibc else { bail!("the agent uses no glibc, so no usual JVM can load it") };
        let is_static = program.loader.is_none() && program.libraries.is_empty();
        if !is_static && program.glibc.is_none() {
            bail!(
                "the binary needs {}; it must be static, or use glibc",
                program.loader.as_deref().unwrap_or("libraries")
            );
        }
        Ok(Platform { processor: program.processor, program: program.glibc.filter(|_| !is_static), agent: agent_glibc })
    }

    /// The oldest glibc with which all of it works.
    pub fn glibc(&self) -> Glibc {
        self.agent.max(self.program.unwrap_or(self.agent))
    }

    /// In the names of archives: `linux-x86_64`.
    pub fn plain(&self) -> String {
        format!("linux-{}", self.processor)
    }

    /// The classifier of os-maven-plugin, which protoc's artefacts have, too: `linux-x86_64`, `linux-aarch_64`.
    pub fn maven(&self) -> &'static str {
        if self.processor == "x86_64" { "linux-x86_64" } else { "linux-aarch_64" }
    }

    /// `process.arch` of Node.js.
    pub fn npm(&self) -> &'static str {
        PROCESSORS.iter().find(|(processor, _)| *processor == self.processor).map_or("", |(_, name)| name)
    }

    /// Debian's architecture.
    pub fn debian(&self) -> &'static str {
        if self.processor == "x86_64" { "amd64" } else { "arm64" }
    }

    /// The platform tag of a wheel (PEP 600). glibc before 2.17 is no concern of ours: Rust needs that. A static program starts
    /// on musl, too, but its agent does not.
    pub fn wheel(&self) -> String {
        let Glibc(major, minor) = self.glibc().max(Glibc(2, 17));
        format!("manylinux_{major}_{minor}_{}", self.processor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dynamic(glibc: Option<Glibc>, library: &str, loader: Option<&str>) -> Needs {
        let libraries = [library.to_owned()].into();
        Needs { processor: "x86_64", loader: loader.map(str::to_owned), libraries, glibc }
    }

    #[test]
    fn a_wheel_is_tagged_by_the_newest_glibc_that_the_program_or_its_agent_needs() {
        let agent = dynamic(Some(Glibc(2, 28)), "libm.so.6", None);
        let program = dynamic(Some(Glibc(2, 17)), "libc.so.6", Some("/lib64/ld-linux-x86-64.so.2"));
        assert_eq!(Platform::new(&program, &agent).expect("a platform").wheel(), "manylinux_2_28_x86_64");
        let newer = Needs { glibc: Some(Glibc(2, 34)), ..program };
        assert_eq!(Platform::new(&newer, &agent).expect("a platform").wheel(), "manylinux_2_34_x86_64");
        let is_static = Needs { loader: None, libraries: [].into(), glibc: None, ..newer };
        let platform = Platform::new(&is_static, &agent).expect("a platform");
        assert_eq!((platform.wheel().as_str(), platform.program), ("manylinux_2_28_x86_64", None));
    }

    #[test]
    fn what_not_every_machine_has_is_refused() {
        let agent = dynamic(Some(Glibc(2, 17)), "libc.so.6", None);
        let program = dynamic(Some(Glibc(2, 17)), "libssl.so.3", Some("/lib64/ld-linux-x86-64.so.2"));
        let refused = Platform::new(&program, &agent).unwrap_err().to_string();
        assert_eq!(refused, "the binary needs libssl.so.3, which not every machine has");
        let musl = Needs { libraries: [].into(), ..dynamic(None, "", Some("/lib/ld-musl-x86_64.so.1")) };
        let refused = Platform::new(&musl, &agent).unwrap_err().to_string();
        assert_eq!(refused, "the binary needs /lib/ld-musl-x86_64.so.1; it must be static, or use glibc");
    }
}
