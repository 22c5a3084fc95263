//! The first pass: opens every input and every archive in it, and finds the classes that the configuration selects.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use rayon::prelude::*;

use super::examine::{Examined, Supertypes, Verdict, describes, examine, header, is_elsewhere, probe_track};
use super::kept::Keeper;
use super::loaded::Loaders;
use super::options::ArchiveLimits;
use super::original;
use super::paths::{ClassRoot, Meaning, class_file_name, meaning, root};
use super::room::Room;
use super::shared_text::SharedTexts;
use super::spool::Spool;
use super::tree::InputTree;
use super::workers::Workers;
use crate::error::{Error, JarErrorKind, Result};
use crate::jar::{Archive, InflateBudget};
use crate::manifest::Manifest;
use weighbridge_config::{Choice, Config, Selector, Track};
use weighbridge_probes::SkipReason;

/// Classes that are examined at once; this bounds the memory.
const BATCH: usize = 512;

/// An input or an archive in one; children follow their parents.
#[derive(Debug)]
pub(super) struct InputNode {
    /// The node that holds this one, and as which entry.
    pub(super) parent: Option<(usize, usize)>,
    /// `app.jar!/lib/inner.jar`, without the folder of the input.
    pub(super) label: String,
    /// Open until the end of the run, so that a nested archive is inflated once ([`Spool`]).
    pub(super) tree: Arc<InputTree>,
    pub(super) seen: u64,
    /// Of the few classes whose name is not that in their path: see [`class_file_name`].
    pub(super) other_names: HashMap<usize, Box<[u8]>>,
    /// Selected class files in the order of the archive.
    pub(super) classes: Vec<SelectedClass>,
    /// Class files that only a supertype can still select, if the configuration has such a rule.
    pub(super) open: Vec<OpenClass>,
    pub(super) manifest: Option<(usize, Arc<Manifest>)>,
    pub(super) signatures: Vec<usize>,
    pub(super) is_module: bool,
    /// A module-info lists the packages of the module (JVMS §4.7.26): its loader finds no others.
    pub(super) lists_packages: bool,
    /// The entry with a digest with which the classes check themselves.
    pub(super) own_digest: Option<usize>,
    pub(super) warnings: Vec<String>,
}

impl InputNode {
    /// The names of the classes that were read, with their supertypes.
    pub(super) fn supertypes(&self) -> impl Iterator<Item = (&[u8], &Supertypes)> {
        let selected = self.classes.iter().map(|class| (class.entry, &class.examined.supertypes));
        let all = selected.chain(self.open.iter().map(|class| (class.entry, &class.supertypes)));
        all.map(|(entry, supertypes)| (self.class_name(entry as usize), supertypes))
    }

    /// The internal name in the path of a class file.
    pub(super) fn class_name(&self, entry: usize) -> &[u8] {
        match self.other_names.get(&entry) {
            Some(name) => name,
            None => path_name(&self.tree, entry),
        }
    }

    /// The location of an entry: `app.jar!/lib/inner.jar!/com/acme/Foo.class`.
    pub(super) fn location(&self, entry: usize) -> String {
        format!("{}!/{}", self.label, name_of(&self.tree, entry))
    }
}

/// A selected class file.
#[derive(Debug)]
pub(super) struct SelectedClass {
    pub(super) entry: u32,
    pub(super) root: ClassRoot,
    /// True for a version in `META-INF/versions`.
    pub(super) versioned: bool,
    pub(super) examined: Examined,
}

/// A class file that is not selected yet.
#[derive(Debug)]
pub(super) struct OpenClass {
    pub(super) entry: u32,
    pub(super) root: ClassRoot,
    pub(super) versioned: bool,
    pub(super) supertypes: Supertypes,
}

/// What all scans of a run share.
pub(super) struct Scanner<'a> {
    pub(super) selector: &'a Selector<&'a Config>,
    pub(super) budget: &'a InflateBudget,
    pub(super) limits: ArchiveLimits,
    pub(super) workers: &'a Workers,
    pub(super) keeper: &'a Keeper,
    pub(super) spool: &'a Spool,
    pub(super) texts: &'a SharedTexts,
    pub(super) room: &'a Room,
}

impl Scanner<'_> {
    /// Scans inputs on all threads; returns the files that were read and all nodes.
    ///
    /// With `originals`, the original beside an archive that was rewritten before is read instead.
    pub(super) fn scan(&self, inputs: &[PathBuf], originals: bool) -> Result<(Vec<PathBuf>, Vec<InputNode>)> {
        let scan = |input: &PathBuf| self.scan_input_or_original(input, originals);
        let found: Vec<Result<(PathBuf, Vec<InputNode>)>> = match inputs {
            [input] => vec![scan(input)],
            inputs => self.workers.run(|| Ok(inputs.par_iter().map(scan).collect()))?,
        };
        let (mut read, mut nodes) = (Vec::new(), Vec::new());
        for found in found {
            let (input, found) = found?;
            read.push(input);
            adopt(&mut nodes, None, found);
        }
        Ok((read, nodes))
    }

    fn scan_input_or_original(&self, input: &Path, originals: bool) -> Result<(PathBuf, Vec<InputNode>)> {
        let digest = OnceLock::new();
        let scanned = self.scan_input(input, &digest);
        match digest.into_inner() {
            Some(digest) if originals && input.is_file() => {
                let original = original::find_original(input, &digest)?;
                let nodes = self.scan_input(&original, &OnceLock::new())?;
                Ok((original, nodes))
            }
            _ => Ok((input.to_path_buf(), scanned?)),
        }
    }

    /// If there is a bridge, the result is an error, and `original` gets the digest in the bridge.
    fn scan_input(&self, path: &Path, original: &OnceLock<String>) -> Result<Vec<InputNode>> {
        let name = path.display().to_string();
        let label = path.file_name().map_or(name.clone(), |name| name.to_string_lossy().into_owned());
        InputTree::open(path)
            .and_then(|tree| self.scan_tree(Arc::new(tree), label, 1, original))
            .map_err(|error| error.in_location(&name))
    }

    fn scan_tree(
        &self,
        tree: Arc<InputTree>,
        label: String,
        depth: u32,
        original: &OnceLock<String>,
    ) -> Result<Vec<InputNode>> {
        self.room.reserve_archive(&tree)?;
        let mut node = InputNode {
            parent: None,
            label,
            tree: Arc::clone(&tree),
            seen: 0,
            other_names: HashMap::new(),
            classes: Vec::new(),
            open: Vec::new(),
            manifest: None,
            signatures: Vec::new(),
            is_module: false,
            lists_packages: false,
            own_digest: None,
            warnings: Vec::new(),
        };
        let mut candidates = Vec::new();
        let mut archives = Vec::new();
        let mut modules = Vec::new();
        let mut namesakes = Vec::new();
        for entry in 0..tree.len() {
            if !tree.is_file(entry) {
                continue;
            }
            match meaning(tree.name(entry)) {
                Meaning::Class { root, versioned, name } => {
                    node.seen += 1;
                    if name == b"module-info" && root == ClassRoot::Top {
                        node.is_module |= !versioned;
                        modules.push(entry);
                    }
                    let name = class_file_name(name);
                    let choice = self.selector.by_name(&name);
                    if choice == Choice::Selected || (choice == Choice::Open && self.selector.reads_classes()) {
                        candidates.push(Candidate { entry: entry as u32, choice });
                        if let Cow::Owned(name) = name {
                            node.other_names.insert(entry, name.into());
                        }
                    }
                }
                Meaning::Nested => archives.push(entry),
                Meaning::Manifest => {
                    let manifest = Manifest::parse(tree.content(entry, self.budget)?);
                    node.manifest = Some((entry, Arc::new(manifest)));
                }
                Meaning::Signature => node.signatures.push(entry),
                Meaning::OwnDigest => node.own_digest = Some(entry),
                Meaning::Bridge(name) => {
                    let bridge = tree.content(entry, self.budget).ok();
                    if bridge.as_deref().is_some_and(|bridge| is_elsewhere(bridge, name)) {
                        // An earlier output below a folder of classes: no loader of this root finds it.
                        continue;
                    }
                    if bridge.as_deref().is_some_and(|bridge| !original::is_bridge(bridge)) {
                        // Somebody's class that only has such a name.
                        node.seen += 1;
                        if self.selector.by_name(name) == Choice::Selected {
                            namesakes.push(entry);
                        }
                        continue;
                    }
                    if let Some(digest) = bridge.and_then(|bridge| original::read_digest(&bridge)) {
                        // All bridges of an archive have the same digest.
                        original.get_or_init(|| digest);
                    }
                    let bridge = String::from_utf8_lossy(tree.name(entry)).into_owned();
                    let message = format!("was rewritten by weighbridge before (it has {bridge}): give the original");
                    return Err(Error::new(JarErrorKind::Unsupported, message));
                }
                Meaning::Other => {}
            }
        }
        // A versioned module-info (JEP 238) makes it a module, too, unless it belongs to a jar that was merged into this one.
        let main_class =
            node.manifest.as_ref().and_then(|(_, manifest)| manifest.main("Main-Class")).map(str::to_owned);
        for entry in modules {
            let module = tree.content(entry, self.budget)?;
            node.is_module |= main_class.as_ref().is_none_or(|main_class| describes(&module, main_class));
            node.lists_packages |= module.windows(14).any(|name| name == b"ModulePackages");
        }
        self.room.reserve_classes(candidates.len())?;
        if !self.selector.by_supertype() {
            // Mostly all are selected. A vector that doubles would need three times the memory while it grows.
            node.classes.reserve_exact(candidates.len());
        }
        let mut candidates = candidates.into_iter();
        loop {
            let batch: Vec<Candidate> = candidates.by_ref().take(BATCH).collect();
            if batch.is_empty() {
                break;
            }
            let examined: Vec<Result<ExaminedCandidate>> = self
                .workers
                .run(|| Ok(batch.par_iter().map(|candidate| self.look_into(&tree, candidate)).collect()))?;
            for (candidate, found) in batch.into_iter().zip(examined) {
                let entry = candidate.entry;
                let Meaning::Class { root, versioned, .. } = meaning(tree.name(entry as usize)) else { continue };
                match found? {
                    ExaminedCandidate::Selected(examined) => {
                        node.classes.push(SelectedClass { entry, root, versioned, examined })
                    }
                    ExaminedCandidate::Open(supertypes) => {
                        node.open.push(OpenClass { entry, root, versioned, supertypes })
                    }
                    ExaminedCandidate::Nothing => {}
                }
            }
        }
        for entry in namesakes {
            let reason = self.texts.reason(&SkipReason::Bridge.to_string());
            let verdict = Verdict::Skipped { reason, harmless: false };
            let examined = Examined { supertypes: Supertypes::default(), verdict };
            let root = root(tree.name(entry));
            node.classes.push(SelectedClass { entry: entry as u32, root, versioned: false, examined });
            node.classes.sort_by_key(|class| class.entry);
        }
        self.scan_nested(&tree, node, &archives, depth, original)
    }

    fn look_into(&self, tree: &InputTree, candidate: &Candidate) -> Result<ExaminedCandidate> {
        let entry = candidate.entry as usize;
        let name = &*class_name(tree, entry);
        let content = tree.content(entry, self.budget)?;
        if candidate.choice == Choice::Open {
            let Some(header) = header(&content, name, self.selector, self.texts) else {
                return Ok(ExaminedCandidate::Nothing);
            };
            if !header.annotated {
                let kept = self.selector.by_supertype();
                return Ok(if kept { ExaminedCandidate::Open(header.supertypes) } else { ExaminedCandidate::Nothing });
            }
        }
        Ok(ExaminedCandidate::Selected(self.examine(tree, entry, content)))
    }

    fn examine(&self, tree: &InputTree, entry: usize, content: Vec<u8>) -> Examined {
        let name = &*class_name(tree, entry);
        let config = self.selector.config;
        let target = config.target_classes.first_match(name).map(|target| &config.targets[target]);
        let fields = target.map_or(&[][..], |target| &target.fields);
        let track = target.map_or(Track::Live, |target| target.track);
        let configured = (probe_track(track), fields);
        let examined = examine(&content, name, configured, self.selector.by_supertype(), self.texts);
        if matches!(examined.verdict, Verdict::Rewritable { .. }) {
            self.keeper.keep(tree, entry, content);
        }
        examined
    }

    /// Selects open classes.
    pub(super) fn select_open(
        &self,
        nodes: &mut [InputNode],
        node: usize,
        wanted: impl Fn(&OpenClass) -> bool,
    ) -> Result<()> {
        let (chosen, rest): (Vec<OpenClass>, Vec<OpenClass>) =
            std::mem::take(&mut nodes[node].open).into_iter().partition(wanted);
        nodes[node].open = rest;
        if chosen.is_empty() {
            return Ok(());
        }
        let tree = Arc::clone(&nodes[node].tree);
        for batch in chosen.chunks(BATCH) {
            let examine = |class: &OpenClass| {
                let entry = class.entry as usize;
                Ok(self.examine(&tree, entry, tree.content(entry, self.budget)?))
            };
            let examined: Vec<Result<Examined>> = self.workers.run(|| Ok(batch.par_iter().map(examine).collect()))?;
            for (class, examined) in batch.iter().zip(examined) {
                let OpenClass { entry, root, versioned, .. } = *class;
                nodes[node].classes.push(SelectedClass { entry, root, versioned, examined: examined? });
            }
        }
        nodes[node].classes.sort_by_key(|class| class.entry);
        Ok(())
    }

    fn scan_nested(
        &self,
        tree: &InputTree,
        mut node: InputNode,
        archives: &[usize],
        depth: u32,
        original: &OnceLock<String>,
    ) -> Result<Vec<InputNode>> {
        if archives.is_empty() {
            return Ok(vec![node]);
        }
        let manifest = node.manifest.as_ref().map(|(_, manifest)| &**manifest);
        let mut loaders = Loaders::from_tree(tree, &node.label, manifest, self.selector.config.nested, self.budget);
        let (mut loaded, mut data): (Vec<usize>, Vec<usize>) =
            archives.iter().partition(|&&entry| loaders.take(tree.name(entry)));
        let mut inner = Vec::new();
        while !loaded.is_empty() {
            let scan = |&entry: &usize| self.scan_archive(tree, &node.label, entry, depth, original);
            let found: Vec<Result<Nested>> = self.workers.run(|| Ok(loaded.par_iter().map(scan).collect()))?;
            for (&entry, found) in loaded.iter().zip(found) {
                match found.map_err(|error| error.in_location(&name_of(tree, entry)))? {
                    Nested::Nodes(nodes) => {
                        if let Some((_, manifest)) = &nodes[0].manifest {
                            loaders.add(tree.name(entry), manifest);
                        }
                        inner.push((entry, nodes));
                    }
                    Nested::Unreadable(error) => {
                        let location = name_of(tree, entry);
                        node.warnings.push(format!("{location} is left as it is: {}", error.message()));
                    }
                }
            }
            // The manifests of these archives may name others.
            (loaded, data) = data.iter().partition(|&&entry| loaders.take(tree.name(entry)));
        }
        inner.sort_by_key(|(entry, _)| *entry);
        if let Some(&first) = data.first() {
            node.warnings.push(format!(
                "{} of the archives in it, first {}, are left as they are: no loader is known to take classes from \
                 there (`instrument.nested = \"all\"` in the configuration rewrites them, too)",
                data.len(),
                name_of(tree, first)
            ));
        }
        let mut nodes = vec![node];
        for (entry, found) in inner {
            adopt(&mut nodes, Some((0, entry)), found);
        }
        Ok(nodes)
    }

    fn scan_archive(
        &self,
        tree: &InputTree,
        label: &str,
        entry: usize,
        depth: u32,
        original: &OnceLock<String>,
    ) -> Result<Nested> {
        self.limits.check_depth(depth)?;
        // A test resource that only looks like an archive must not end the run.
        let archive = match self.spool.nested(tree, entry, self.budget).and_then(Archive::open) {
            Ok(archive) => archive,
            Err(error) if error.kind() == JarErrorKind::Io || self.budget.is_exceeded() => return Err(error),
            Err(error) => return Ok(Nested::Unreadable(error)),
        };
        let name = name_of(tree, entry);
        let label = format!("{label}!/{name}");
        self.scan_tree(Arc::new(InputTree::Archive(archive)), label, depth + 1, original).map(Nested::Nodes)
    }
}

/// A class file that may be selected.
struct Candidate {
    entry: u32,
    choice: Choice,
}

enum ExaminedCandidate {
    Selected(Examined),
    Open(Supertypes),
    Nothing,
}

enum Nested {
    Nodes(Vec<InputNode>),
    Unreadable(Error),
}

/// Appends nodes that are numbered from 0; `parent` is the parent of the first.
fn adopt(nodes: &mut Vec<InputNode>, parent: Option<(usize, usize)>, found: Vec<InputNode>) {
    let offset = nodes.len();
    nodes.extend(found.into_iter().map(|mut node| {
        node.parent = match node.parent {
            Some((outer, entry)) => Some((outer + offset, entry)),
            None => parent,
        };
        node
    }));
}

/// The name in the path of a class file; empty for another entry.
fn path_name(tree: &InputTree, entry: usize) -> &[u8] {
    match meaning(tree.name(entry)) {
        Meaning::Class { name, .. } | Meaning::Bridge(name) => name,
        _ => b"",
    }
}

/// The internal name of the class in a class file; empty for another entry.
pub(super) fn class_name(tree: &InputTree, entry: usize) -> Cow<'_, [u8]> {
    class_file_name(path_name(tree, entry))
}

pub(crate) fn name_of(tree: &InputTree, entry: usize) -> String {
    String::from_utf8_lossy(tree.name(entry)).into_owned()
}
