//! Names of a trace as a report shows them.

use weighbridge_replay::Names;

/// Shown for numbers without a name.
const UNKNOWN: &str = "(unknown)";

/// The name of a class; arrays as `java.lang.String[]`.
pub(super) fn class(names: &Names, number: u32) -> String {
    names.classes.get(&number).map_or_else(|| UNKNOWN.to_owned(), |class| to_source_name(&class.name))
}

/// A name as `Class.getName` gives it, as code has it.
fn to_source_name(name: &str) -> String {
    let element = name.trim_start_matches('[');
    let levels = name.len() - element.len();
    if levels == 0 {
        return name.to_owned();
    }
    let element = match element {
        "Z" => "boolean",
        "B" => "byte",
        "C" => "char",
        "S" => "short",
        "I" => "int",
        "J" => "long",
        "F" => "float",
        "D" => "double",
        other => other.strip_prefix('L').and_then(|other| other.strip_suffix(';')).unwrap_or(other),
    };
    format!("{element}{}", "[]".repeat(levels))
}

/// Whether a class is of arrays of references.
pub(super) fn is_reference_array(names: &Names, number: u32) -> bool {
    names.classes.get(&number).is_some_and(|class| class.name.starts_with("[L") || class.name.starts_with("[["))
}

/// The method and the line of a site.
pub(super) fn method_and_line(names: &Names, site: u32) -> (String, Option<u32>) {
    let Some(site) = names.sites.get(&site) else { return (UNKNOWN.to_owned(), None) };
    let method = names.methods.get(&site.method);
    (method.map_or_else(|| UNKNOWN.to_owned(), |method| format!("{}.{}", method.class, method.name)), site.line)
}

#[cfg(test)]
mod tests {
    use super::to_source_name;

    #[test]
    fn arrays_are_written_as_in_code() {
        let names = ["[I", "[[Ljava.lang.String;", "com.acme.Main$1", "[com.acme.Odd"].map(to_source_name);
        assert_eq!(names, ["int[]", "java.lang.String[][]", "com.acme.Main$1", "com.acme.Odd[]"]);
    }
}
