//! Hubs: classes through which everything reaches everything. Own bytes stop at them.

use std::collections::BTreeMap;

use crate::{Pattern, PatternSet};

/// Shipped with the program.
const RULES: &str = include_str!("../rules/hubs.toml");

/// The patterns of the shipped rules. One without wildcards means that class and its subtypes.
///
/// # Panics
/// If the shipped file is no list of patterns. A test checks that it is.
pub fn default_hubs() -> PatternSet {
    PatternSet::new(shipped().into_values().flatten().collect())
}

fn shipped() -> BTreeMap<String, Vec<Pattern>> {
    let groups: BTreeMap<String, Vec<String>> = toml::from_str(RULES).expect("lists of patterns");
    let parsed = |text: String| Pattern::parse(&text).expect("a pattern");
    groups.into_iter().map(|(name, texts)| (name, texts.into_iter().map(parsed).collect())).collect()
}

#[cfg(test)]
mod tests {
    use super::shipped;

    #[test]
    fn the_shipped_rules_name_each_hub_once() {
        let groups = shipped();
        assert_eq!(
            groups.keys().collect::<Vec<_>>(),
            ["jdk", "loaders", "loggers", "management", "persistence", "servlet", "spring", "threads"]
        );
        let mut texts: Vec<&str> = groups.values().flatten().map(|pattern| pattern.text()).collect();
        let all = texts.len();
        texts.sort_unstable();
        texts.dedup();
        assert_eq!(texts.len(), all);
    }
}
