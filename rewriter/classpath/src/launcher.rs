//! The options of the java launcher that decide where classes come from (JDK sources, `java.c` and
//! `args.c`: `IsWhiteSpaceOption`, `checkArg`).

use std::ffi::{OsStr, OsString};

use weighbridge_jvms::WITH_VALUE;

const CLASS_PATH: [&str; 3] = ["-cp", "-classpath", "--class-path"];
const MODULE_PATH: [&str; 2] = ["-p", "--module-path"];

/// What an argument is to the launcher.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Option,
    ClassPath,
    ModulePath,
    /// The main class, the jar after `-jar`, or a source file.
    Main,
    /// `module[/class]`.
    Module,
    OfProgram,
}

/// Walks over a launcher's arguments, one after the other.
#[derive(Debug, Default)]
pub(crate) struct Scan {
    expects: Option<Role>,
    jar: bool,
    main: bool,
    disabled: bool,
}

impl Scan {
    /// The next argument's role, and how many bytes precede its value (`--class-path=`).
    fn role(&mut self, argument: &OsStr) -> (Role, usize) {
        if self.main {
            return (Role::OfProgram, 0);
        }
        if let Some(role) = self.expects.take() {
            self.main = role == Role::Module;
            return (role, 0);
        }
        // An option is ASCII up to its value; only a value or an argument of the program may not be UTF-8.
        let text = argument.to_str().unwrap_or_default();
        if !text.starts_with('-') {
            self.main = true;
            return (Role::Main, 0);
        }
        let value_of = |name: &str| (argument.as_encoded_bytes().starts_with(name.as_bytes())).then_some(name.len());
        if let Some(skip) = value_of("--class-path=") {
            return (Role::ClassPath, skip);
        }
        if let Some(skip) = value_of("--module-path=") {
            return (Role::ModulePath, skip);
        }
        if let Some(skip) = value_of("--module=") {
            self.main = true;
            return (Role::Module, skip);
        }
        match text {
            "-jar" => self.jar = true,
            "--disable-@files" => self.disabled = true,
            "--describe-module" => self.expects = Some(Role::Option),
            _ if CLASS_PATH.contains(&text) => self.expects = Some(Role::ClassPath),
            _ if MODULE_PATH.contains(&text) => self.expects = Some(Role::ModulePath),
            "-m" | "--module" => self.expects = Some(Role::Module),
            _ if WITH_VALUE.contains(&text) => self.expects = Some(Role::Option),
            _ => {}
        }
        (Role::Option, 0)
    }

    /// Reads an argument.
    pub(crate) fn next(&mut self, argument: &OsStr) {
        self.role(argument);
    }

    /// Whether the arguments from here on are the program's.
    pub(crate) fn main_found(&self) -> bool {
        self.main
    }

    /// Whether `--disable-@files` was seen.
    pub(crate) fn argument_files_disabled(&self) -> bool {
        self.disabled
    }
}

/// An argument that holds a path or list of paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PathArgument {
    index: usize,
    skip: usize,
}

/// A launcher's arguments, parsed as far as needed.
#[derive(Debug, Default)]
pub struct CommandLine {
    arguments: Vec<OsString>,
    /// The last `-cp`: it wins.
    pub(crate) class_path: Option<PathArgument>,
    /// The last `--module-path`.
    pub(crate) module_path: Option<PathArgument>,
    /// What `-jar` runs. The class path is then ignored.
    pub(crate) jar: Option<PathArgument>,
    /// Whether a main class, a jar, a module or a source file is named.
    pub has_main: bool,
    /// Whether a module is named.
    pub(crate) runs_module: bool,
}

impl CommandLine {
    /// Reads arguments whose argument files are expanded.
    pub fn new(arguments: Vec<OsString>) -> Self {
        let mut scan = Scan::default();
        let mut line = CommandLine::default();
        for (index, argument) in arguments.iter().enumerate() {
            let (role, skip) = scan.role(argument);
            let path = Some(PathArgument { index, skip });
            match role {
                Role::ClassPath => line.class_path = path,
                Role::ModulePath => line.module_path = path,
                Role::Main if scan.jar => line.jar = path,
                Role::Module => line.runs_module = true,
                _ => {}
            }
        }
        line.has_main = scan.main;
        line.arguments = arguments;
        line
    }

    /// The path or list of paths in an argument.
    pub(crate) fn value(&self, path: PathArgument) -> OsString {
        let bytes = &self.arguments[path.index].as_encoded_bytes()[path.skip..];
        #[cfg(unix)]
        return OsString::from(<OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(bytes));
        #[cfg(not(unix))]
        String::from_utf8_lossy(bytes).into_owned().into()
    }

    /// Replaces the value of an argument.
    pub(crate) fn set_value(&mut self, path: PathArgument, value: &OsStr) {
        let argument = &mut self.arguments[path.index];
        let name = argument.to_string_lossy()[..path.skip].to_owned();
        *argument = OsString::from(name);
        argument.push(value);
    }

    /// Puts arguments before all others. Every [`PathArgument`] becomes invalid.
    pub(crate) fn prepend(&mut self, first: Vec<OsString>) {
        self.arguments.splice(0..0, first);
    }

    /// All arguments, in order.
    pub(crate) fn into_arguments(self) -> Vec<OsString> {
        self.arguments
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> CommandLine {
        CommandLine::new(text.split(' ').map(OsString::from).collect())
    }

    #[test]
    fn the_last_class_path_before_the_main_class_counts() {
        let line = line("-cp a.jar -Xmx1g --class-path=b.jar Main -cp c.jar");
        assert_eq!(line.value(line.class_path.unwrap()), "b.jar");
        assert!(line.has_main && line.jar.is_none());
    }

    #[test]
    fn options_may_come_between_jar_and_its_file() {
        let line = line("-jar -Dx=y --add-opens java.base/java.lang=ALL-UNNAMED app.jar -jar other.jar");
        assert_eq!(line.value(line.jar.unwrap()), "app.jar");
    }

    #[test]
    fn a_module_ends_the_options() {
        let line = line("-p mods:lib -m com.acme/com.acme.Main --module-path no");
        assert_eq!(line.value(line.module_path.unwrap()), "mods:lib");
        assert!(line.runs_module && line.has_main);
        let line = self::line("--module-path=mods --module=com.acme x");
        assert_eq!(line.value(line.module_path.unwrap()), "mods");
        assert!(line.runs_module);
    }

    #[test]
    fn a_command_without_a_main_class_runs_nothing() {
        assert!(!line("-version").has_main);
        assert!(!line("-cp a.jar").has_main);
    }

    #[test]
    fn a_new_value_keeps_the_form_of_the_option() {
        let mut line = line("--class-path=a.jar -p m Main");
        line.set_value(line.class_path.unwrap(), OsStr::new("x:y"));
        line.set_value(line.module_path.unwrap(), OsStr::new("n"));
        line.prepend(vec!["-Dfirst".into()]);
        assert_eq!(line.into_arguments(), ["-Dfirst", "--class-path=x:y", "-p", "n", "Main"]);
    }
}
