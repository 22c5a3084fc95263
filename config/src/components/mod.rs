//! `[components]`: the component to which a class belongs, and in heap dumps an object.

pub(crate) mod document;

use toml::Spanned;

use crate::pattern::Pattern;
use crate::reader::Reader;
use crate::{PatternSet, Result};

/// `[components]`: the component to which a class belongs.
#[derive(Clone, Debug, Default)]
pub struct Components {
    names: Vec<String>,
    rules: Vec<ComponentRule>,
    patterns: PatternSet,
    /// For each pattern, the index of its component.
    component_of: Vec<usize>,
}

/// The rule of a component: what belongs to it in a heap dump. A class must match all that are given of `classes`,
/// `loaders` and `modules`.
#[derive(Clone, Debug, Default)]
pub struct ComponentRule {
    /// Classes by name.
    pub classes: Option<PatternSet>,
    /// Classes by the name or the class of their loader.
    pub loaders: Option<PatternSet>,
    /// Classes by the name of their module.
    pub modules: Option<PatternSet>,
    /// Objects at the end of paths: `com.acme.Registry.caches`, `com.acme.Registry.all[].cache`.
    pub paths: Vec<String>,
    /// Instances of these classes and their subclasses.
    pub instances: Option<Pattern>,
    /// Each of `instances` is a node, named by the text of this field.
    pub name_field: Option<String>,
    /// Which references are left out of the semantic tree.
    pub suspend: Suspend,
}

/// Which references between a component's objects and others are left out of the semantic tree of a heap dump.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Suspend {
    /// Those from others.
    #[default]
    Incoming,
    /// Those to others.
    Outgoing,
    /// Both.
    Both,
    /// None.
    None,
}

impl Components {
    /// The names in the order of the file.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Their rules, in the same order.
    pub fn rules(&self) -> &[ComponentRule] {
        &self.rules
    }

    /// The patterns that decide by the name of a class alone, in the order of the file.
    pub fn patterns(&self) -> &PatternSet {
        &self.patterns
    }

    /// The index of the component to which a pattern belongs.
    pub fn component_of(&self, pattern: usize) -> usize {
        self.component_of[pattern]
    }

    /// Pairs of a component and the text of a pattern that it owns, in the order in which they decide.
    pub fn owned(&self) -> impl Iterator<Item = (&str, &str)> {
        let names = self.component_of.iter().map(|&component| self.names[component].as_str());
        names.zip(self.patterns.patterns().iter().map(Pattern::text))
    }

    /// The component of an internal name: the one with the first matching pattern of the file.
    pub fn of(&self, name: &[u8]) -> Option<usize> {
        self.patterns.first_match(name).map(|pattern| self.component_of[pattern])
    }
}

impl Reader<'_> {
    pub(crate) fn components(&self, document: &document::Components) -> Result<Components> {
        let mut components = Components::default();
        let mut all = Vec::new();
        if let Some((span, message)) = document.faults.first() {
            return Err(self.fault(span.clone(), message));
        }
        for (name, rule) in &document.rules {
            let wrong = if components.names.contains(name) {
                Some("is named twice")
            } else if name.trim() != name || name.is_empty() || name.contains(char::is_control) {
                Some("is no name for a component")
            } else if name.split('.').any(str::is_empty) {
                Some("has a dot without a name on both sides")
            } else if name == "(none)" {
                Some("is what classes without a component are listed under")
            } else {
                None
            };
            if let Some(wrong) = wrong {
                return Err(self.fault(rule.span(), &format!("component `{}` {wrong}", name.escape_debug())));
            }
            let checked = self.rule(name, rule)?;
            // A class file does not tell its loader or module.
            if let Some(classes) =
                checked.classes.as_ref().filter(|_| checked.loaders.is_none() && checked.modules.is_none())
            {
                all.extend(classes.patterns().iter().cloned());
                components.component_of.extend(classes.patterns().iter().map(|_| components.names.len()));
            }
            components.names.push(name.clone());
            components.rules.push(checked);
        }
        components.patterns = PatternSet::new(all);
        Ok(components)
    }

    fn rule(&self, name: &str, rule: &Spanned<document::Rule>) -> Result<ComponentRule> {
        let document::Rule { classes, loaders, modules, paths, instances, name_field, suspend } = rule.get_ref();
        if let (Some(field), None) = (name_field, instances) {
            return Err(self.fault(field.span(), "`name_field` needs `instances` beside it"));
        }
        let nothing = classes.is_none() && loaders.is_none() && modules.is_none() && paths.is_none();
        if nothing && instances.is_none() {
            return Err(self.fault(rule.span(), &format!("component `{}` has no rule", name.escape_debug())));
        }
        let suspend = match suspend.as_ref().map(|text| (text.get_ref().as_str(), text.span())) {
            None | Some(("incoming", _)) => Suspend::Incoming,
            Some(("outgoing", _)) => Suspend::Outgoing,
            Some(("both", _)) => Suspend::Both,
            Some(("none", _)) => Suspend::None,
            Some((other, span)) => {
                let message = format!(
                    "`suspend` must be \"incoming\", \"outgoing\", \"both\" or \"none\", not \"{}\"",
                    other.escape_debug()
                );
                return Err(self.fault(span, &message));
            }
        };
        Ok(ComponentRule {
            classes: classes.as_ref().map(|texts| self.patterns(texts)).transpose()?,
            loaders: loaders.as_ref().map(|texts| self.patterns(texts)).transpose()?,
            modules: modules.as_ref().map(|texts| self.patterns(texts)).transpose()?,
            paths: paths.iter().flatten().map(|path| self.object_path(path)).collect::<Result<_>>()?,
            instances: instances.as_ref().map(|pattern| self.pattern(pattern)).transpose()?,
            name_field: name_field.clone().map(|field| self.field(field)).transpose()?,
            suspend,
        })
    }

    /// A class and at least one field; each field may end with `[]`.
    fn object_path(&self, path: &Spanned<String>) -> Result<String> {
        let text = path.get_ref();
        let wrong = |c: char| c.is_whitespace() || c.is_control() || "/;,*?[]".contains(c);
        let segment = |segment: &str| !segment.is_empty() && !segment.contains(wrong);
        let mut segments = text.split('.');
        let class = segments.next().is_some_and(segment);
        let mut fields = segments.map(|field| field.trim_end_matches("[]")).peekable();
        if !class || fields.peek().is_none() || !fields.all(segment) {
            let message = format!(
                "`{}` is no path: it is a class and fields, such as com.acme.Registry.caches or com.acme.Registry.all[]",
                text.escape_debug()
            );
            return Err(self.fault(path.span(), &message));
        }
        Ok(text.clone())
    }
}
