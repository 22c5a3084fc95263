//! The command line of `java`: what it runs, and whether it lets anybody attach.
//!
//! Source: `java.c` of the launcher (`ParseArguments`, `IsWhiteSpaceOption`).

use crate::WITH_VALUE;

/// What runs source files given to the launcher; then the next argument is the file (JEP 330, JEP 458).
const SOURCE_LAUNCHERS: [&str; 2] =
    ["jdk.compiler/com.sun.tools.javac.launcher.Main", "jdk.compiler/com.sun.tools.javac.launcher.SourceLauncher"];

/// What a command line says; its first argument is the launcher.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct CommandLine {
    /// The main class, jar, `module/class`, source file or `@file`, as it is written.
    pub(super) main: Option<String>,
    /// Whether the JVM is told that nobody may attach. Options in files and variables are not seen.
    pub(super) disables_attach: bool,
}

impl CommandLine {
    /// Reads the arguments. Those of other programs than `java` say nothing of a JVM inside.
    pub(super) fn parse(arguments: &[String]) -> CommandLine {
        let mut line = CommandLine::default();
        let Some((_, arguments)) = arguments.split_first().filter(|(program, _)| is_java(program)) else {
            return line;
        };
        let mut arguments = arguments.iter().map(String::as_str);
        while let Some(argument) = arguments.next() {
            match argument {
                "-m" | "--module" => line.main = arguments.next().map(str::to_owned),
                "-XX:+DisableAttachMechanism" => line.disables_attach = true,
                "-XX:-DisableAttachMechanism" => line.disables_attach = false,
                _ if WITH_VALUE.contains(&argument) => _ = arguments.next(),
                _ if argument.starts_with("--module=") => {
                    line.main = argument.split_once('=').map(|(_, m)| m.to_owned())
                }
                // `-jar` too: the jar is the first argument that is no option.
                _ if argument.starts_with('-') => {}
                // The file may hold the main class, so what follows may be an argument of the program.
                _ => line.main = Some(argument.to_owned()),
            }
            if line.main.is_some() {
                break;
            }
        }
        line
    }
}

/// Whether a command is the launcher of Java.
pub(super) fn is_java(program: &str) -> bool {
    program.rsplit('/').next() == Some("java")
}

/// The name of what a JVM runs. The JVM's own word is best, but only the command line tells where a path with spaces
/// ends.
pub(super) fn main(from_jvm: Option<&str>, line: Option<&str>) -> Option<String> {
    let Some(command) = from_jvm else { return line.map(str::to_owned) };
    let is_whole =
        |line: &&str| command.strip_prefix(line).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '));
    if let Some(line) = line.filter(is_whole) {
        return Some(line.to_owned());
    }
    let mut words = command.split(' ');
    let first = words.next()?;
    let file = words.next().filter(|_| SOURCE_LAUNCHERS.contains(&first));
    Some(file.unwrap_or(first).to_owned())
}

#[cfg(test)]
mod tests {
    use super::{CommandLine, main};

    fn parse(line: &str) -> CommandLine {
        CommandLine::parse(&line.split(' ').map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn the_main_class_is_the_first_argument_that_is_no_option() {
        let named = |line: &str| parse(line).main.unwrap_or_default();
        assert_eq!(named("java -Xmx1g -cp a:b com.acme.Main -x y"), "com.acme.Main");
        assert_eq!(named("/opt/jdk/bin/java --class-path a --add-opens java.base/java.lang=ALL-UNNAMED M"), "M");
        assert_eq!(named("java --add-modules=ALL-SYSTEM -ea:com.acme M"), "M");
        assert_eq!(named("java -jar -Xmx1g lib/app.jar -jar x"), "lib/app.jar");
        assert_eq!(named("java -p mods -m acme/com.acme.Main z"), "acme/com.acme.Main");
        assert_eq!(named("java -p mods --module=acme z"), "acme");
        assert_eq!(named("java --source 21 Main.java z"), "Main.java");
        assert_eq!(named("java @options Main"), "@options");
        assert_eq!(named("java -version"), "");
        assert_eq!(named("python -m java"), "");
        assert_eq!(named("java -cp"), "");
    }

    #[test]
    fn the_last_option_of_a_kind_counts_and_the_program_has_none() {
        assert!(parse("java -XX:+DisableAttachMechanism M").disables_attach);
        assert!(!parse("java -XX:+DisableAttachMechanism -XX:-DisableAttachMechanism M").disables_attach);
        assert!(!parse("java M -XX:+DisableAttachMechanism").disables_attach);
    }

    #[test]
    fn the_jvm_knows_best_but_for_spaces() {
        let named = |jvm, line| main(jvm, line).unwrap_or_default();
        assert_eq!(named(Some("com.acme.Main a b"), Some("@options")), "com.acme.Main");
        assert_eq!(named(Some("/my apps/a.jar b"), Some("/my apps/a.jar")), "/my apps/a.jar");
        assert_eq!(named(Some("/my apps/a.jar"), Some("/my apps/a.jar")), "/my apps/a.jar");
        assert_eq!(named(Some("Mainly"), Some("Main")), "Mainly");
        assert_eq!(named(Some("jdk.compiler/com.sun.tools.javac.launcher.Main A.java b"), Some("-")), "A.java");
        assert_eq!(named(None, Some("Main")), "Main");
        assert_eq!(named(None, None), "");
    }
}
