//! Many patterns at once: a trie over the literal packages at the start of patterns.

use std::collections::HashMap;

use super::pattern::{Pattern, modified_utf8};

/// An ordered list of patterns, matched together.
///
/// A look-up follows the packages of the name through a trie. It tests only the patterns whose literal packages are a
/// prefix of the name: its cost depends on the depth of the name, hardly on the number of patterns.
#[derive(Clone, Debug, Default)]
pub struct PatternSet {
    patterns: Vec<Pattern>,
    root: PackageNode,
}

#[derive(Clone, Debug, Default)]
struct PackageNode {
    inner: HashMap<Box<[u8]>, PackageNode>,
    /// Indices of the patterns without wildcards whose packages end here, by the rest of the name. A configuration may name
    /// thousands of classes of one package.
    exact: HashMap<Box<[u8]>, Vec<usize>>,
    /// Indices of the other patterns whose literal packages end here.
    patterns: Vec<usize>,
}

impl PatternSet {
    /// Compiles patterns; their order is kept.
    pub fn new(patterns: Vec<Pattern>) -> Self {
        let mut root = PackageNode::default();
        for (index, pattern) in patterns.iter().enumerate() {
            let mut node = &mut root;
            for package in pattern.packages() {
                node = node.inner.entry(package.clone()).or_default();
            }
            match pattern.exact_rest() {
                Some(rest) => node.exact.entry(rest.into()).or_default().push(index),
                None => node.patterns.push(index),
            }
        }
        PatternSet { patterns, root }
    }

    /// The patterns in their order.
    pub fn patterns(&self) -> &[Pattern] {
        &self.patterns
    }

    /// True if there is no pattern.
    pub fn is_empty(&self) -> bool {
        self.patterns.is_empty()
    }

    /// Calls `found` with the index of each pattern that matches an internal name (`com/acme/Cache`).
    pub fn each_match(&self, name: &[u8], mut found: impl FnMut(usize)) {
        let (mut node, mut rest) = (&self.root, name);
        loop {
            node.exact.get(rest).into_iter().flatten().for_each(|&index| found(index));
            for &index in &node.patterns {
                if self.patterns[index].matches_rest(rest) {
                    found(index);
                }
            }
            let Some(end) = memchr::memchr(b'/', rest) else { return };
            let Some(inner) = node.inner.get(&rest[..end]) else { return };
            (node, rest) = (inner, &rest[end + 1..]);
        }
    }

    /// The first pattern, in their order, that matches an internal name.
    pub fn first_match(&self, name: &[u8]) -> Option<usize> {
        let mut first: Option<usize> = None;
        self.each_match(name, |index| first = Some(first.map_or(index, |before| before.min(index))));
        first
    }

    /// True if any pattern matches the class of a dotted name.
    pub fn matches_class(&self, name: &str) -> bool {
        self.matches(&modified_utf8(&name.replace('.', "/")))
    }

    /// True if any pattern matches an internal name.
    pub fn matches(&self, name: &[u8]) -> bool {
        self.first_match(name).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(patterns: &[&str]) -> PatternSet {
        PatternSet::new(patterns.iter().map(|text| Pattern::parse(text).unwrap()).collect())
    }

    #[test]
    fn each_pattern_that_matches_is_found() {
        let set = set(&["com.acme.**", "**.Cache", "com.acme.cache.Cache", "org.**", "com.acme.*"]);
        let mut found = Vec::new();
        set.each_match(b"com/acme/cache/Cache", |index| found.push(index));
        found.sort_unstable();
        assert_eq!(found, [0, 1, 2]);
    }

    #[test]
    fn the_first_match_is_first_in_the_order_of_the_file_not_of_the_trie() {
        let set = set(&["com.acme.cache.*", "com.**"]);
        assert_eq!(set.first_match(b"com/acme/cache/Lru"), Some(0));
        assert_eq!(set.first_match(b"com/acme/Lru"), Some(1));
        assert_eq!(set.first_match(b"org/Lru"), None);
    }

    #[test]
    fn an_empty_set_matches_nothing() {
        assert!(!PatternSet::default().matches(b"Main"));
    }
}
