//! Which packages are the program's, and which components they make.

use std::collections::{BTreeMap, BTreeSet};

use weighbridge_config::{Pattern, PatternSet, default_hubs, frameworks};
use weighbridge_ending::Failure;
use weighbridge_reporter::units::count_with_noun;

use crate::program::Program;

/// Components of packages, the largest first; the rest are one.
const MOST_COMPONENTS: usize = 11;
/// Packages that many organisations share: the third name tells whose they are.
const SHARED: [&str; 7] =
    ["com.github", "com.google", "io.github", "org.apache", "org.eclipse", "org.jboss", "org.springframework"];

/// What is measured, and the parts of the program.
pub struct Proposal {
    /// Patterns of classes.
    pub include: Vec<String>,
    /// Names and patterns, in the order in which they decide, and how many classes each has.
    pub(crate) components: Vec<ProposedComponent>,
    /// The shipped rules that apply to the program's heap dumps.
    pub(crate) frameworks: Vec<&'static str>,
    /// How many classes are selected, interfaces among them.
    pub selected: usize,
    /// What has to be said of it.
    pub notes: Vec<String>,
}

/// A part of the program.
pub(crate) struct ProposedComponent {
    pub(crate) name: String,
    pub(crate) pattern: String,
    pub(crate) classes: usize,
}

impl Proposal {
    /// That for a program.
    ///
    /// # Errors
    /// No class of an application is found.
    pub fn from_program(program: &Program) -> Result<Proposal, Failure> {
        let mut notes = Vec::new();
        let packages = packages(program, &mut notes);
        let mut proposal =
            Proposal { include: Vec::new(), components: Vec::new(), frameworks: Vec::new(), selected: 0, notes };
        let include = packages.iter().map(|package| make_package_pattern(package)).collect();
        proposal.set(program, include, &packages);
        match proposal.selected {
            0 => Err(Failure::input(format!("{}: no class of an application is found", program.name))),
            _ => Ok(proposal),
        }
    }

    /// Takes other patterns than the proposed ones.
    pub fn take(&mut self, program: &Program, include: Vec<String>, parsed: &PatternSet) -> Result<(), Failure> {
        let matched: BTreeSet<&str> = all(program).filter(|name| parsed.matches_class(name)).collect();
        if matched.is_empty() {
            return Err(Failure::input(format!("no class of {} matches {}", program.name, include.join(" "))));
        }
        let roots: BTreeSet<String> = matched.iter().map(|name| root_of(package(name))).collect();
        let packages: Vec<String> = roots.iter().map(|root| common(matched.iter().copied(), root)).collect();
        self.set(program, include, &packages);
        Ok(())
    }

    fn set(&mut self, program: &Program, include: Vec<String>, packages: &[String]) {
        self.include = include;
        self.components = Vec::new();
        self.frameworks = Vec::new();
        for package in packages {
            self.add_components(program, package, packages.len() > 1);
        }
        self.add_frameworks(program);
        let parsed: Vec<Pattern> = self.include.iter().filter_map(|text| Pattern::parse(text).ok()).collect();
        let set = PatternSet::new(parsed);
        self.selected = all(program).filter(|name| set.matches_class(name)).count();
    }

    /// A component for each package below `package`, and one for the rest.
    fn add_components(&mut self, program: &Program, package: &str, several: bool) {
        let prefix = if package.is_empty() { String::new() } else { format!("{package}.") };
        let mut parts: BTreeMap<&str, usize> = BTreeMap::new();
        let mut rest = 0;
        for name in all(program) {
            match name.strip_prefix(&prefix).map(|below| below.split_once('.')) {
                Some(Some((part, _))) if !package.is_empty() => *parts.entry(part).or_default() += 1,
                Some(None) => rest += 1,
                _ => {}
            }
        }
        let last = package.rsplit('.').next().filter(|last| !last.is_empty()).unwrap_or("program");
        let mut largest: Vec<(&str, usize)> = parts.into_iter().collect();
        largest.sort_by_key(|(part, classes)| (std::cmp::Reverse(*classes), *part));
        let others: usize = largest.iter().skip(MOST_COMPONENTS).map(|(_, classes)| classes).sum();
        largest.truncate(MOST_COMPONENTS);
        largest.sort_unstable();
        for (part, classes) in largest {
            let name = if several || part == last { format!("{last}.{part}") } else { part.to_owned() };
            self.component(name, format!("{prefix}{part}.**"), classes);
        }
        if rest + others > 0 {
            self.component(last.to_owned(), make_package_pattern(package), rest + others);
        }
    }

    fn component(&mut self, name: String, pattern: String, classes: usize) {
        // The name of another's is taken: that of the whole package is not.
        let taken = self.components.iter().any(|component| component.name == name);
        let name = if taken { pattern.trim_end_matches(".**").to_owned() } else { name };
        self.components.push(ProposedComponent { name, pattern, classes });
    }

    /// Objects of frameworks that hold what a program keeps: sessions, pools, caches.
    fn add_frameworks(&mut self, program: &Program) {
        let hubs = default_hubs();
        let included = PatternSet::new(self.include.iter().filter_map(|text| Pattern::parse(text).ok()).collect());
        // The shipped rules are right: a test reads them.
        for framework in frameworks().unwrap_or_default() {
            let there = |class: &String| program.own.contains(class) || program.libraries.contains(class);
            if !framework.classes.iter().any(there) {
                continue;
            }
            self.frameworks.push(framework.name);
            for (name, rule) in framework.components.names().iter().zip(framework.components.rules()) {
                let Some(pattern) = &rule.instances else { continue };
                let of_rule = |class: &&str| {
                    // An abstract class has no objects of its own, and nothing stops at what holds nothing.
                    pattern.matches_class(class) && !hubs.matches_class(class) && !class.contains(".Abstract")
                };
                let found: Vec<&str> = all(program).filter(of_rule).collect();
                if found.is_empty() || self.components.iter().any(|component| component.name == *name) {
                    continue;
                }
                if !found.iter().all(|class| included.matches_class(class)) {
                    self.include.push(pattern.text().to_owned());
                }
                let component =
                    ProposedComponent { name: name.clone(), pattern: pattern.text().to_owned(), classes: found.len() };
                self.components.insert(0, component);
            }
        }
    }
}

/// The packages of the application, as long as they are common to its classes.
fn packages(program: &Program, notes: &mut Vec<String>) -> Vec<String> {
    let own = if program.own.is_empty() { &program.libraries } else { &program.own };
    let mut roots: BTreeMap<String, usize> = BTreeMap::new();
    for name in own {
        *roots.entry(root_of(package(name))).or_default() += 1;
    }
    if roots.len() > 1 && !program.apart {
        let groups: BTreeSet<&String> = program.groups.iter().collect();
        let main = program.main.as_deref().map(package);
        let group = groups.first().filter(|_| groups.len() == 1).map(|group| group.as_str());
        let anchored = |anchor: Option<&str>| anchor.map(root_of).filter(|root| roots.contains_key(root));
        let largest = roots.iter().max_by_key(|(_, classes)| **classes).map(|(root, _)| root.clone());
        let (root, why) = match (anchored(main), anchored(group)) {
            (Some(root), _) => (Some(root), "the main class is there"),
            (None, Some(root)) => (Some(root), "its Maven group is the archive's"),
            (None, None) => (largest, "most classes are there, a guess"),
        };
        if let Some(root) = root {
            let others = count_with_noun(
                roots.len() as u64 - 1,
                "other is taken for a library",
                "others are taken for libraries",
            );
            notes.push(format!("of {} packages {root} is taken for the application: {why}; {others}", roots.len()));
            roots.retain(|other, _| *other == root);
        }
    }
    roots.keys().map(|root| common(own.iter().map(String::as_str), root)).collect()
}

/// The first names of a package that tell whose it is.
fn root_of(package: &str) -> String {
    let names: Vec<&str> = package.split('.').collect();
    let two = names[..names.len().min(2)].join(".");
    match SHARED.contains(&two.as_str()) {
        true => names[..names.len().min(3)].join("."),
        false => two,
    }
}

/// The longest package that all classes below a root share.
fn common<'a>(classes: impl Iterator<Item = &'a str>, root: &str) -> String {
    let mut shared: Option<Vec<&str>> = None;
    for name in classes.filter(|name| root_of(package(name)) == root) {
        let names: Vec<&str> = package(name).split('.').collect();
        shared = Some(match shared {
            None => names,
            Some(before) => {
                let same = before.iter().zip(&names).take_while(|(a, b)| a == b).count();
                before[..same].to_vec()
            }
        });
    }
    shared.map_or_else(|| root.to_owned(), |names| names.join("."))
}

fn package(class: &str) -> &str {
    class.rsplit_once('.').map_or("", |(package, _)| package)
}

/// The pattern of a package and those below it; of the unnamed package, of its classes alone.
fn make_package_pattern(package: &str) -> String {
    if package.is_empty() { "*".to_owned() } else { format!("{package}.**") }
}

fn all(program: &Program) -> impl Iterator<Item = &str> {
    program.own.union(&program.libraries).map(String::as_str)
}
