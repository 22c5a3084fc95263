//! `weighbridge heap measured`: what the agent in a measured program asks of the program's own dump.

use std::collections::HashSet;
use std::fs::File;
use std::io::BufReader;
use std::path::PathBuf;

use anyhow::Context;
use serde::{Deserialize, Serialize};
use weighbridge_config::{Pattern, PatternSet};
use weighbridge_ending::Failure;
use weighbridge_heapdump::measured::{Chosen, ChosenClass, ChosenFigures, Covered, Registered};
use weighbridge_heapdump::{Dump, FollowSoft, Heap, HeapOptions, Modes};

use crate::exit::{DONE, Outcome};
use crate::input::InputPathParser;

/// For the agent: the figures of a snapshot, from a heap dump of the program itself.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The dump.
    #[arg(value_parser = InputPathParser)]
    dump: PathBuf,
    /// What is measured, as the runtime writes it.
    #[arg(long, value_name = "FILE", value_parser = InputPathParser)]
    specification: PathBuf,
    /// Where the figures go.
    #[arg(short = 'f', long, value_name = "FILE")]
    file: PathBuf,
}

/// What is measured. The runtime writes it (`DumpQuestion`), from its configuration and its class table.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Specification {
    /// The measured classes, those with rows first.
    classes: Vec<MeasuredClass>,
    /// How many of them have rows.
    rows: usize,
    /// How many components there are.
    components: u32,
    /// The components of other classes, by the first pattern that matches.
    patterns: Vec<ComponentPattern>,
    hubs: Vec<String>,
    exclude: Vec<String>,
    soft: bool,
    /// The combinations of tags.
    tags: Vec<u32>,
    holders: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MeasuredClass {
    /// Its id in the probes.
    id: u32,
    /// Dotted.
    name: String,
    component: Option<u32>,
    fields: Option<Vec<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ComponentPattern {
    pattern: String,
    component: u32,
}

/// The answer. Numbers in the order in which the runtime takes them (`DumpFigures`), and JSON that goes into its recording as it is.
#[derive(Serialize)]
struct MeasuredAnswer {
    /// Objects and bytes of all that can be reached. Of what the rows reach: objects, bytes, bytes outside the heap, and bytes
    /// that several components reach. Then eight numbers a row, and six a component; the last is that of rows without one.
    /// Then, for each set of tags that holds something together: how many they are, each as its index, and the bytes.
    numbers: Vec<u64>,
    /// Pairs of a row, as a number, and its `holders`.
    holders: Vec<(usize, String)>,
}

pub(crate) fn execute(args: Args) -> Outcome {
    let name = args.specification.display().to_string();
    let file = File::open(&args.specification).with_context(|| name.clone())?;
    let specification: Specification = serde_json::from_reader(BufReader::new(file)).with_context(|| name)?;
    // What is softly held lives, whoever owns it.
    let options =
        HeapOptions { modes: Modes { soft: FollowSoft::Strong, ..Modes::default() }, ..HeapOptions::default() };
    let (heap, graph) = Heap::read(Dump::open(&args.dump)?, &options)?;
    let registered = Registered::from_heap(&heap)?;
    let reachable = graph.reachable();
    let figures = ChosenFigures::from_heap(&heap, &graph, &reachable, &specification.resolve_classes(&registered)?)?;
    let live = heap
        .objects()
        .filter(|object| reachable.has(*object))
        .fold((0, 0), |(objects, bytes), object| (objects + 1, bytes + heap.bytes(object)));
    let answer = MeasuredAnswer::from_figures(live, &figures);
    weighbridge_ending::output::to_file(&args.file, true, |out| Ok(serde_json::to_writer(out, &answer)?))?;
    Ok(DONE)
}

impl Specification {
    fn resolve_classes(&self, registered: &Registered) -> Result<Chosen, Failure> {
        let class = |(at, class): (usize, &MeasuredClass)| ChosenClass {
            name: class.name.clone(),
            loaders: registered.loaders(class.id).to_vec(),
            is_row: at < self.rows,
            component: class.component,
            fields: class.fields.clone(),
        };
        let patterns =
            self.patterns.iter().map(|one| Pattern::parse(&one.pattern).map(|pattern| (pattern, one.component)));
        let patterns = patterns.collect::<Result<Vec<_>, _>>().map_err(Failure::usage)?;
        let index_of =
            |combination: u32| self.tags.iter().position(|tag| *tag == combination).map(|index| index as u32);
        let tags = registered.tags.iter().filter_map(|(object, tag)| Some((*object, index_of(*tag)?)));
        Ok(Chosen {
            classes: self.classes.iter().enumerate().map(class).collect(),
            components: self.components,
            component_of: Box::new(move |name| {
                patterns.iter().find(|(pattern, _)| pattern.matches_class(name)).map(|(_, component)| *component)
            }),
            hubs: covered(&self.hubs)?,
            excluded: covered(&self.exclude)?,
            soft: self.soft,
            tags: (self.tags.len() as u32, tags.collect()),
            holders: self.holders,
        })
    }
}

/// As the runtime's `ClassPatterns`: a pattern with wildcards stands for the names that it matches.
fn covered(texts: &[String]) -> Result<Covered, Failure> {
    let (patterns, names): (Vec<&String>, Vec<&String>) = texts.iter().partition(|text| text.contains(['*', '?']));
    let patterns = patterns.into_iter().map(|text| Pattern::parse(text)).collect::<Result<Vec<_>, _>>();
    let patterns = PatternSet::new(patterns.map_err(Failure::usage)?);
    let names: HashSet<String> = names.into_iter().cloned().collect();
    Ok(Covered {
        itself: Box::new(move |name| patterns.matches_class(name)),
        with_those_below: Box::new(move |name| names.contains(name)),
    })
}

impl MeasuredAnswer {
    fn from_figures(live: (u64, u64), figures: &ChosenFigures) -> MeasuredAnswer {
        let mut numbers =
            vec![live.0, live.1, figures.objects, figures.bytes, figures.off_heap_bytes, figures.shared_once_bytes];
        for row in &figures.rows {
            numbers.extend([row.objects, row.shallow_bytes, row.own_bytes, row.own_shared_bytes]);
            numbers.extend([row.deep_bytes, row.deep_objects, row.exclusive_bytes, row.off_heap_bytes]);
        }
        for component in &figures.components {
            numbers.extend([component.own_bytes, component.own_shared_bytes, component.deep_bytes]);
            numbers.extend([component.exclusive_bytes, component.shared_even_bytes, component.off_heap_bytes]);
        }
        for (tags, bytes) in &figures.tags {
            numbers.push(tags.len() as u64);
            numbers.extend(tags.iter().map(|tag| u64::from(*tag)));
            numbers.push(*bytes);
        }
        let holders = figures.holders.iter().map(|held| {
            let chains: Vec<_> = held
                .chains
                .iter()
                .map(|(objects, steps)| serde_json::json!({ "objects": objects, "steps": steps }))
                .collect();
            let text = serde_json::json!({
                "examined": held.examined, "outside": held.outside, "others": held.others, "chains": chains,
            });
            (held.row, text.to_string())
        });
        MeasuredAnswer { numbers, holders: holders.collect() }
    }
}
