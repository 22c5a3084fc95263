//! Patterns of methods: a class pattern, a dot, and a pattern of the method's name.

use crate::{ConfigErrorKind, Error, Pattern, PatternSet, Result};

/// An ordered list of method patterns, matched together: `com.acme.Report.render`, `com.acme.**.handle*`.
///
/// They match by class and name, whatever the parameters. None matches `<init>` or `<clinit>`.
#[derive(Clone, Debug, Default)]
pub struct MethodPatterns {
    texts: Vec<String>,
    classes: PatternSet,
    /// The pattern of the method's name that belongs to each of `classes`.
    names: Vec<Pattern>,
}

impl MethodPatterns {
    /// Compiles patterns of classes and of method names; their order is kept.
    pub(super) fn new(patterns: Vec<(String, Pattern, Pattern)>) -> Self {
        let mut methods = MethodPatterns::default();
        let mut classes = Vec::with_capacity(patterns.len());
        for (text, class, name) in patterns {
            methods.texts.push(text);
            classes.push(class);
            methods.names.push(name);
        }
        methods.classes = PatternSet::new(classes);
        methods
    }

    /// Reads patterns such as `com.acme.Report.render`; their order is kept.
    ///
    /// # Errors
    /// [`ErrorKind::Pattern`] for one that names no class and method.
    pub fn read(texts: &[String]) -> Result<Self> {
        let read = |text: &String| parse(text).map(|(class, name)| (text.clone(), class, name));
        texts.iter().map(read).collect::<Result<_>>().map(MethodPatterns::new)
    }

    /// The patterns as they were written, in their order.
    pub fn texts(&self) -> &[String] {
        &self.texts
    }

    /// True if there is no pattern.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// True if a method of the class with this internal name may match. Few classes pass this quick test.
    pub fn may_match(&self, class: &[u8]) -> bool {
        self.classes.matches(class)
    }

    /// The patterns, in their order, whose methods may be of the class with this internal name.
    pub fn matching(&self, class: &[u8]) -> impl Iterator<Item = usize> {
        let mut found = Vec::new();
        self.classes.each_match(class, |index| found.push(index));
        found.sort_unstable();
        found.into_iter()
    }

    /// The first pattern, in their order, that matches a method of the class with this internal name.
    pub fn first_match(&self, class: &[u8], method: &[u8]) -> Option<usize> {
        if method.starts_with(b"<") {
            return None;
        }
        let mut first: Option<usize> = None;
        self.classes.each_match(class, |index| {
            if self.names[index].matches(method) {
                first = Some(first.map_or(index, |before| before.min(index)));
            }
        });
        first
    }
}

/// The pattern of the class and that of the method's name.
///
/// # Errors
/// [`ErrorKind::Pattern`] if one of them is missing or is no pattern.
pub(super) fn parse(text: &str) -> Result<(Pattern, Pattern)> {
    let bad = |fault: &str| Error::new(ConfigErrorKind::Pattern, format!("bad method pattern \"{text}\": {fault}"));
    let Some((class, name)) = text.rsplit_once('.') else {
        return Err(bad("write the class, a dot and the method's name"));
    };
    if matches!(name, "<init>" | "<clinit>") {
        return Err(bad("constructors and static initialisers cannot be named"));
    }
    if name.contains("**") {
        return Err(bad("the method's name comes after the last dot: `com.acme.**.*` is every method below com.acme"));
    }
    Ok((Pattern::parse(class)?, Pattern::parse(name)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn methods(texts: &[&str]) -> MethodPatterns {
        let parsed = |text: &&str| {
            let (class, name) = parse(text).unwrap();
            (text.to_string(), class, name)
        };
        MethodPatterns::new(texts.iter().map(parsed).collect())
    }

    #[test]
    fn the_first_pattern_whose_class_and_name_match_is_found() {
        let methods = methods(&["com.acme.Report.render", "com.acme.**.handle*", "com.acme.Report.*"]);
        let of = |class: &str, method: &str| methods.first_match(class.as_bytes(), method.as_bytes());
        assert_eq!(of("com/acme/Report", "render"), Some(0));
        assert_eq!(of("com/acme/Report", "handleAll"), Some(1));
        assert_eq!(of("com/acme/a/b/Servlet", "handle"), Some(1));
        assert_eq!(of("com/acme/Report", "renders"), Some(2));
        assert_eq!(of("com/acme/Report$Page", "render"), None);
        assert_eq!(of("com/acme", "handle"), None, "`com.acme.**` are the classes below it");
        assert!(methods.may_match(b"com/acme/x/Y") && !methods.may_match(b"com/Acme"));
        assert!(!MethodPatterns::default().may_match(b"com/acme/Report"));
    }

    #[test]
    fn no_pattern_matches_a_constructor_or_a_static_initialiser() {
        let methods = methods(&["com.acme.Report.*"]);
        assert_eq!(methods.first_match(b"com/acme/Report", b"<init>"), None);
        assert_eq!(methods.first_match(b"com/acme/Report", b"<clinit>"), None);
    }
}
