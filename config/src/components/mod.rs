//! `[components]`: the component to which a class belongs, and in heap dumps an object.

pub(crate) mod document;
#[cfg(test)]
mod schema;

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use toml::Spanned;

use crate::pattern::Pattern;
use crate::reader::{Reader, Texts};
use crate::{PatternSet, Result};

/// What recordings call the component of the classes that belong to none.
pub(crate) const NO_COMPONENT: &str = "(none)";

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
    /// Objects at the end of paths: `com.acme.Registry.caches`, `com.acme.Registry.all[].cache`. A path without a class,
    /// `.manager`, begins at the component's own nodes, or at those of the component above.
    pub paths: Vec<String>,
    /// Instances of these classes and their subclasses.
    pub instances: Option<Pattern>,
    /// With `instances`: the fields to the node of the component above, of which each is a part.
    pub within: Option<String>,
    /// Paths to maps: each value is a node, named by its key.
    pub entries: Vec<String>,
    /// With `entries`: fields from a value, and the text at their end that it must have.
    pub only: Vec<(String, String)>,
    /// With `entries`: fields from a value to `Class` objects, whose instances belong to the node instead of the value.
    pub instances_of: Vec<String>,
    /// Each of `instances` is a node, named by the text at the end of the first of these fields that has one. The same
    /// for the values of `entries`, instead of keys.
    pub name_field: Vec<String>,
    /// Names are shown as a part of their SHA-256.
    pub secret: bool,
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
        let mut names: HashSet<&str> = HashSet::new();
        if let Some((span, message)) = document.faults.first() {
            return Err(self.fault(span.clone(), message));
        }
        for (name, rule) in &document.rules {
            let wrong = if !names.insert(name) {
                Some("is named twice")
            } else if name.trim() != name || name.is_empty() || name.contains(char::is_control) {
                Some("is no name for a component")
            } else if name.split('.').any(str::is_empty) {
                Some("has a dot without a name on both sides")
            } else if name == NO_COMPONENT {
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
        let by_name = document.rules.iter().map(|(name, rule)| (name.as_str(), makes_nodes(rule.get_ref())));
        let by_name: HashMap<&str, bool> = by_name.collect();
        document.rules.iter().try_for_each(|(name, rule)| self.begins_somewhere(name, rule.get_ref(), &by_name))?;
        Ok(components)
    }

    /// What begins at nodes needs a component that makes some. `by_name` has all components.
    fn begins_somewhere(
        &self,
        name: &str,
        rule: &document::ComponentSection,
        by_name: &HashMap<&str, bool>,
    ) -> Result<()> {
        let mut paths = rule.entries.iter().chain(rule.paths.iter().filter(|_| !makes_nodes(rule))).flatten();
        let path = paths.find(|path| path.get_ref().starts_with('.')).or(rule.within.as_ref());
        let Some(path) = path else { return Ok(()) };
        // The names above it are those before each of its dots.
        let mut above = name.match_indices('.').map(|(dot, _)| &name[..dot]);
        if above.any(|other| by_name.get(other).copied().unwrap_or_default()) {
            return Ok(());
        }
        let text = path.get_ref().escape_debug();
        let message = format!("`{text}` has no nodes: no component above `{name}` has `instances` or `entries`");
        Err(self.fault(path.span(), &message))
    }

    fn rule(&self, name: &str, rule: &Spanned<document::ComponentSection>) -> Result<ComponentRule> {
        let document::ComponentSection { classes, loaders, modules, paths, instances, suspend, .. } = rule.get_ref();
        let document::ComponentSection { within, entries, only, instances_of, name_field, secret, .. } = rule.get_ref();
        let first = |texts: &Option<Texts>| texts.iter().flatten().next().map(Spanned::span);
        let needs = |key: &str, span: Option<Range<usize>>, needed: &str, there: bool| match span {
            Some(span) if !there => Err(self.fault(span, &format!("`{key}` needs {needed} beside it"))),
            _ => Ok(()),
        };
        let (nodes, maps) = (instances.is_some(), entries.is_some());
        needs("name_field", first(name_field), "`instances` or `entries`", nodes || maps)?;
        needs("secret", secret.as_ref().map(Spanned::span), "`name_field` or `entries`", name_field.is_some() || maps)?;
        needs("within", within.as_ref().map(Spanned::span), "`instances`", nodes)?;
        needs("only", only.iter().flatten().next().map(|(_, text)| text.span()), "`entries`", maps)?;
        needs("instances_of", first(instances_of), "`entries`", maps)?;
        if let (Some(span), true) = (first(entries), nodes) {
            return Err(self.fault(span, "`entries` makes nodes, as `instances` does: only one of them can be given"));
        }
        let nothing = classes.is_none() && loaders.is_none() && modules.is_none() && paths.is_none();
        if nothing && !nodes && !maps {
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
            within: within.as_ref().map(|fields| self.fields(fields)).transpose()?,
            entries: entries.iter().flatten().map(|path| self.object_path(path)).collect::<Result<_>>()?,
            only: only.iter().flatten().map(|(path, text)| self.only(path, text)).collect::<Result<_>>()?,
            instances_of: instances_of.iter().flatten().map(|fields| self.fields(fields)).collect::<Result<_>>()?,
            name_field: name_field.iter().flatten().map(|fields| self.fields(fields)).collect::<Result<_>>()?,
            secret: secret.as_ref().is_some_and(|secret| *secret.get_ref()),
            suspend,
        })
    }

    fn only(&self, path: &str, text: &Spanned<String>) -> Result<(String, String)> {
        let fields = self.fields(&Spanned::new(text.span(), path.to_owned()))?;
        Ok((fields, text.get_ref().clone()))
    }

    /// Fields, separated by dots; each may end with `[]`.
    fn fields(&self, path: &Spanned<String>) -> Result<String> {
        match path.get_ref().split('.').all(is_field) {
            true => Ok(path.get_ref().clone()),
            false => {
                let message = format!("`{}` is no path of fields, such as config.name", path.get_ref().escape_debug());
                Err(self.fault(path.span(), &message))
            }
        }
    }

    /// A class and at least one field, or a dot and fields; each field may end with `[]`.
    fn object_path(&self, path: &Spanned<String>) -> Result<String> {
        let text = path.get_ref();
        let (class, fields) = text.split_once('.').unwrap_or((text, ""));
        if !(class.is_empty() || is_segment(class)) || !fields.split('.').all(is_field) {
            let message = format!(
                "`{}` is no path: it is a class and fields, such as com.acme.Registry.caches or com.acme.Registry.all[], \
                 or begins with a dot, such as .manager.sessions",
                text.escape_debug()
            );
            return Err(self.fault(path.span(), &message));
        }
        Ok(text.clone())
    }
}

/// Whether a component's objects can be nodes.
fn makes_nodes(rule: &document::ComponentSection) -> bool {
    rule.instances.is_some() || rule.entries.is_some()
}

fn is_segment(text: &str) -> bool {
    !text.is_empty() && !text.contains(|c: char| c.is_whitespace() || c.is_control() || "/;,*?[]".contains(c))
}

fn is_field(text: &str) -> bool {
    is_segment(text.trim_end_matches("[]"))
}
