//! Expands the `@argfiles` of the java launcher as the launcher does (the `java` man page, "java Command-Line Argument
//! Files"; JDK sources, `args.c`).

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::Path;

use anyhow::{Context, anyhow};
use weighbridge_ending::input::check_input;

use crate::launcher;

/// Expands the argument files before the main class or jar, unless `--disable-@files` comes first. Files are not searched
/// for further `@`.
///
/// An expanded argument that starts with `@`, or one that was written `@@`, is given as `@@`, so that the launcher does not
/// read it as a file.
pub fn expand(arguments: &[OsString]) -> anyhow::Result<Vec<OsString>> {
    let mut expanded = Vec::new();
    let mut scan = launcher::Scan::default();
    for (index, argument) in arguments.iter().enumerate() {
        if scan.main_found() || scan.argument_files_disabled() {
            expanded.extend_from_slice(&arguments[index..]);
            break;
        }
        let Some(name) = argument_file(argument) else {
            scan.next(argument);
            expanded.push(argument.clone());
            continue;
        };
        check_input(Path::new(name)).map_err(|refused| anyhow!(refused.sentence()))?;
        let text = fs::read_to_string(name).with_context(|| format!("{}: cannot be read", name.display()))?;
        for word in words(&text) {
            scan.next(OsStr::new(&word));
            let escaped = word.starts_with('@') && !scan.argument_files_disabled();
            expanded.push(if escaped { format!("@{word}") } else { word }.into());
        }
    }
    Ok(expanded)
}

/// The file that an argument names, `None` if it is no `@file`.
fn argument_file(argument: &OsStr) -> Option<&OsStr> {
    let bytes = argument.as_encoded_bytes();
    if bytes.len() < 2 || bytes[0] != b'@' || bytes[1] == b'@' {
        return None;
    }
    // Splitting after one ASCII byte keeps both parts valid.
    #[cfg(unix)]
    return Some(std::os::unix::ffi::OsStrExt::from_bytes(&bytes[1..]));
    #[cfg(not(unix))]
    argument.to_str().map(|text| OsStr::new(&text[1..]))
}

/// The words of an argument file. White space separates them, `'` or `"` quotes them with backslash escapes inside, and `#`
/// starts a comment. Inside quotes, a backslash at the end of a line joins it with the next line without its leading white
/// space.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some(_), '\\') => match chars.next() {
                Some('\n') => skip_blanks(&mut chars),
                Some('\r') => {
                    chars.next_if_eq(&'\n');
                    skip_blanks(&mut chars);
                }
                Some(escaped) => word.get_or_insert_default().push(unescape(escaped)),
                None => {}
            },
            (Some(open), c) if c == open => quote = None,
            // An open quote ends with its line.
            (Some(_), '\n' | '\r') => {
                quote = None;
                words.extend(word.take());
            }
            (Some(_), c) => word.get_or_insert_default().push(c),
            (None, '"' | '\'') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, '#') => {
                words.extend(word.take());
                while chars.next_if(|c| *c != '\n' && *c != '\r').is_some() {}
            }
            (None, ' ' | '\t' | '\n' | '\r' | '\u{c}') => words.extend(word.take()),
            (None, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

fn skip_blanks(chars: &mut std::iter::Peekable<std::str::Chars>) {
    while chars.next_if(|c| matches!(c, ' ' | '\t' | '\u{c}')).is_some() {}
}

fn unescape(c: char) -> char {
    match c {
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'f' => '\u{c}',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_separated_quoted_and_commented_as_the_launcher_does() {
        let text = "-cp a.jar # a comment\n\"C:\\\\Program Files\\\\x\" 'it is' \"joined \\\n   here\" pre\"fix\" \"\"\n-Dx=\\y";
        let expected = ["-cp", "a.jar", "C:\\Program Files\\x", "it is", "joined here", "prefix", "", "-Dx=\\y"];
        assert_eq!(words(text), expected);
    }

    #[test]
    fn argument_files_are_expanded_only_before_the_main_class() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("options");
        fs::write(&file, "-Xmx1g -cp\n\"lib/*:@odd\"").unwrap();
        let at = format!("@{}", file.display());
        let all = |words: &[&str]| expand(&words.iter().map(OsString::from).collect::<Vec<_>>()).unwrap();
        assert_eq!(all(&[&at, "Main", &at]), ["-Xmx1g", "-cp", "lib/*:@odd", "Main", &at]);
        assert_eq!(all(&["--disable-@files", &at]), ["--disable-@files", &at]);
        assert_eq!(all(&["@@literal"]), ["@@literal"]);
        fs::write(&file, "@literal").unwrap();
        assert_eq!(all(&[&at]), ["@@literal"]);
    }

    #[test]
    fn a_missing_argument_file_is_named() {
        let error = expand(&["@no/such/file".into()]).unwrap_err();
        assert!(format!("{error:#}").starts_with("no/such/file: cannot be read: "), "{error:#}");
    }
}
