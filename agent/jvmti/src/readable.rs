//! Names of classes as people write them.

/// `[Ljava/lang/String;` as `java.lang.String[]`, `Ljava/lang/String;` and `java/lang/String` as `java.lang.String`.
pub(crate) fn readable(name: &str) -> String {
    let element = name.trim_start_matches('[');
    let levels = name.len() - element.len();
    let element = match element {
        "B" if levels > 0 => "byte",
        "C" if levels > 0 => "char",
        "D" if levels > 0 => "double",
        "F" if levels > 0 => "float",
        "I" if levels > 0 => "int",
        "J" if levels > 0 => "long",
        "S" if levels > 0 => "short",
        "Z" if levels > 0 => "boolean",
        class => class.strip_prefix('L').and_then(|class| class.strip_suffix(';')).unwrap_or(class),
    };
    element.replace('/', ".") + &"[]".repeat(levels)
}
