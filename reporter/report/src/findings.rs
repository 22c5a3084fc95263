//! Sentences about an aggregate: what the tables say, and what they cannot say.

use weighbridge_recording::{Interval, SampledFor, Snapshot};

use crate::aggregate::Aggregate;
use crate::figures::ClassFigures;
use crate::growth::{Figure, Growth};
use crate::heap_components::HeapComponents;
use crate::holders;
use crate::jvm_run::{Ending, JvmRun};
use crate::shortage;
use crate::suspects::Suspect;
use crate::traced::TracedRun;
use weighbridge_table::units::{bytes, count, count_with_noun, elapsed, percent};

/// A class must gain this many ages to get a sentence: the first collections add some to any class.
const MANY_AGES: u64 = 4;

/// A marking that is younger than this counts as now.
const A_WHILE_MS: u64 = 2_000;

/// Suspects that get a sentence. The report has the reasons of all.
const MOST_SUSPECTS: usize = 3;

/// The sentences in the order of a report's summary: suspects first. Deterministic; without paths of files.
pub(crate) fn statements(aggregate: &Aggregate) -> Vec<String> {
    let mut sentences: Vec<String> = nothing_loaded(aggregate).into_iter().chain(not_judged(aggregate)).collect();
    let suspects = aggregate.suspects.iter().take(MOST_SUSPECTS);
    sentences.extend(suspects.map(|suspect| match suspect.grows {
        Figure::Objects => grows(aggregate, &suspect.growth),
        Figure::Bytes => holds_more(aggregate, suspect),
    }));
    sentences.extend(beside_suspects(aggregate));
    sentences
}

/// That runs measured nothing, and the likely cause. It comes first, because all that follows is empty.
pub(crate) fn nothing_loaded(aggregate: &Aggregate) -> Option<String> {
    let jvms = &aggregate.jvms;
    let which = |named: Vec<String>| match (named.len(), jvms.len()) {
        (_, 1) => String::new(),
        (some, all) if some == all => format!(" in any of the {all} JVMs"),
        (some, _) if some > 3 => format!(" in {some} of the JVMs"),
        _ => format!(" in {}", named.join(", ")),
    };
    let of = |without: fn(&JvmRun) -> bool| -> Vec<String> {
        jvms.iter().enumerate().filter(|(_, jvm)| without(jvm)).map(|(index, _)| format!("JVM {}", index + 1)).collect()
    };
    let classes = jvms.iter().map(|jvm| jvm.classes).max().unwrap_or(0);
    if classes == 0 && !aggregate.shortages.is_empty() {
        // Whoever controls memory shortages may measure no class.
        return None;
    }
    let unloaded = of(|jvm| jvm.loaded_nothing());
    if !unloaded.is_empty() && aggregate.shortages.is_empty() {
        return Some(format!(
            "No rewritten class was loaded{}: either the class path has the original jars instead of the rewritten ones, or no pattern of the configuration matches a class that the program uses (`weighbridge explain CLASS JAR --config FILE` tells).",
            which(unloaded)
        ));
    }
    let idle = of(|jvm| jvm.last.is_some() && !jvm.constructed);
    (!idle.is_empty()).then(|| {
        format!(
            "No object of the {} was constructed{}: do the patterns match the classes that hold the memory?",
            count_with_noun(classes, "instrumented class", "instrumented classes"),
            which(idle)
        )
    })
}

/// That the recordings cannot show what grows.
fn not_judged(aggregate: &Aggregate) -> Option<String> {
    let first = aggregate.not_judged.first()?;
    let jvm = match (aggregate.jvms.len(), aggregate.not_judged.len()) {
        (1, _) => String::new(),
        (_, 1) => format!(" of JVM {}", first.jvm + 1),
        (_, some) => format!(" of {some} JVMs; of JVM {}", first.jvm + 1),
    };
    Some(format!("Leak suspects were not judged{jvm}: {}.", first.reason))
}

/// The sentences for a report that lists its suspects with their reasons.
pub(crate) fn beside_suspects(aggregate: &Aggregate) -> Vec<String> {
    let mut sentences = Vec::new();
    sentences.extend(shortage::sentence(&aggregate.shortages));
    sentences.extend(aggregate.heap_components.iter().map(HeapComponents::sentence));
    sentences.extend(aggregate.traces.iter().map(TracedRun::sentence));
    sentences.extend(largest_component(aggregate));
    sentences.extend(largest_class(aggregate));
    sentences.extend(measured(aggregate));
    sentences.extend(change(aggregate));
    sentences.extend(ever_more_ages(aggregate));
    sentences.extend(cycle(aggregate));
    sentences.extend(caveats(aggregate));
    sentences
}

/// A class that may leak: its growth, its ages, its component, its holder.
fn grows(aggregate: &Aggregate, growth: &Growth) -> String {
    let minute = growth.live_per_minute.round() as u64;
    let (about, error) = growth.exactness();
    let rate = |rate: Option<f64>| rate.filter(|rate| *rate >= 1.0).map(|rate| bytes(rate.round() as u64));
    let held = match (rate(growth.own_bytes_per_minute), rate(growth.deep_bytes_per_minute)) {
        (Some(own), _) => format!(", {about}{own} of their own"),
        (None, Some(deep)) => format!(", {}{deep} with all they reach", at_least(aggregate)),
        (None, None) => String::new(),
    };
    let age = growth.oldest.filter(|age| *age > 0).map_or_else(String::new, |age| {
        let generations = row_of(aggregate, growth).and_then(|row| row.ages.as_ref()?.generations).filter(|n| *n > 1);
        let ages = generations.map_or_else(String::new, |n| format!(", and they are of {} different ages", count(n)));
        format!("; the oldest has survived {}{ages}", count_with_noun(age, "collection", "collections"))
    });
    let holder = row_of(aggregate, growth)
        .and_then(|row| holders::most_frequent(row.holders.as_ref()?))
        .map_or_else(String::new, |(share, chain)| format!("; {share} of those asked are held by {chain}"));
    let least = if growth.collected { "" } else { ", the least of several counts each" };
    format!(
        "{} grows to the end: {about}{} more live {} a minute{error}{held}, from {} at {} to {} at {}{least}{age}{holder}.",
        class_of(aggregate, growth),
        count(minute),
        if minute == 1 { "object" } else { "objects" },
        count(growth.from_live),
        elapsed(growth.from_uptime_ms),
        count(growth.to_live),
        elapsed(growth.to_uptime_ms),
    )
}

/// A class that may leak inside its objects: what it alone holds.
fn holds_more(aggregate: &Aggregate, suspect: &Suspect) -> String {
    let growth = &suspect.growth;
    let held = |n: Option<u64>| n.map_or_else(String::new, bytes);
    format!(
        "{} holds ever more alone: {} more a minute in {}, from {} at {} to {} at {}.",
        class_of(aggregate, growth),
        bytes(suspect.bytes_per_minute.unwrap_or(0.0).max(0.0).round() as u64),
        count_with_noun(growth.to_live, "live object", "live objects"),
        held(suspect.from_exclusive_bytes),
        elapsed(growth.from_uptime_ms),
        held(suspect.to_exclusive_bytes),
        elapsed(growth.to_uptime_ms),
    )
}

/// The class at the start of a sentence, with its JVM and component.
fn class_of(aggregate: &Aggregate, growth: &Growth) -> String {
    let component = growth.component.as_ref().map_or_else(String::new, |component| format!(" of `{component}`"));
    let jvm = if aggregate.jvms.len() > 1 { format!("JVM {}: ", growth.jvm + 1) } else { String::new() };
    format!("{jvm}`{}`{component}", growth.class)
}

fn row_of<'a>(aggregate: &'a Aggregate, growth: &Growth) -> Option<&'a ClassFigures> {
    aggregate.classes.iter().find(|row| row.class == growth.class && row.component == growth.component)
}

fn at_least(aggregate: &Aggregate) -> &'static str {
    match (aggregate.deep_is_lower_bound(), is_garbage(aggregate)) {
        (true, true) => "about ",
        (true, false) => "at least ",
        (false, true) => "at most ",
        (false, false) => "",
    }
}

/// No full marking is known: dead objects may be among those counted.
fn is_garbage(aggregate: &Aggregate) -> bool {
    aggregate.totals.marked == Some(false)
}

fn of_used_heap(aggregate: &Aggregate, part: u64) -> String {
    let share = aggregate.totals.heap_used_bytes.and_then(|used| percent(part, used));
    share.map_or_else(String::new, |share| format!(", {share} of the used heap"))
}

fn largest_component(aggregate: &Aggregate) -> Option<String> {
    let first = aggregate.components.first()?;
    let held = first.own_bytes.or(first.deep_bytes).filter(|held| *held > 0)?;
    let others = aggregate.components.len() - 1;
    if others == 0 && first.component == "(none)" {
        return None;
    }
    let own = if first.own_bytes.is_some() { " of its own" } else { "" };
    let also = match (first.own_bytes, first.deep_bytes, first.shared_bytes) {
        (Some(_), Some(deep), _) => format!(", and reaches {}", bytes(deep)),
        (None, _, Some(shared)) if shared > 0 => {
            format!(" ({} of it reached from other components too)", bytes(shared))
        }
        _ => String::new(),
    };
    let rank = if others == 0 { String::new() } else { format!(": the most of {} components", others + 1) };
    Some(format!(
        "`{}` holds {}{}{own}{}{also}{rank}.",
        first.component,
        at_least(aggregate),
        bytes(held),
        of_used_heap(aggregate, held),
    ))
}

fn largest_class(aggregate: &Aggregate) -> Option<String> {
    let first = aggregate.classes.first()?;
    let deep = first.deep_bytes.filter(|deep| *deep > 0)?;
    let live = counted_live(first, is_garbage(aggregate));
    let one = first.live == Some(1);
    if let Some(own) = first.own_bytes.filter(|own| *own > 0) {
        let (hold, their, reach) = if one { ("holds", "its", "reaches") } else { ("hold", "their", "reach") };
        let about = match (aggregate.deep_is_lower_bound(), is_garbage(aggregate)) {
            (true, _) => "about ",
            (false, true) => "at most ",
            (false, false) => "",
        };
        let (class, own, deep) = (&first.class, bytes(own), bytes(deep));
        let at_least = at_least(aggregate);
        let met = few_met(first)
            .map_or_else(String::new, |met| format!(", estimated from the {} that were met,", count(met)));
        return Some(format!(
            "The {live} of `{class}` {hold} {about}{own} of {their} own{met} and {reach} {at_least}{deep}."
        ));
    }
    let reach = if one { "reaches" } else { "reach" };
    Some(format!("The {live} of `{}` {reach} {}{}.", first.class, at_least(aggregate), bytes(deep)))
}

fn counted_live(row: &ClassFigures, garbage: bool) -> String {
    match (row.live, row.exact) {
        (Some(number), _) if garbage => count_with_noun(number, "object", "objects"),
        (Some(live), Some(true)) => count_with_noun(live, "live object", "live objects"),
        (Some(live), _) => format!("about {}", count_with_noun(live, "live object", "live objects")),
        (None, _) => "live objects".to_owned(),
    }
}

/// How many objects of a class were met, if these are too few to speak for its bytes.
fn few_met(row: &ClassFigures) -> Option<u64> {
    let (met, live) = (row.met?, row.live?);
    (met < live - live / 10).then_some(met)
}

fn measured(aggregate: &Aggregate) -> Option<String> {
    let totals = &aggregate.totals;
    let measured = totals.measured_bytes?;
    let objects = totals
        .measured_objects
        .map_or_else(String::new, |n| format!(", in {}, each counted once", count_with_noun(n, "object", "objects")));
    let mut text = format!(
        "All instrumented classes together hold {}{}{}{objects}",
        at_least(aggregate),
        bytes(measured),
        of_used_heap(aggregate, measured),
    );
    if let Some(rest) = totals.not_reached_bytes {
        let garbage = if totals.collected == Some(true) { "" } else { ", garbage included" };
        text += &format!("; {} are not reached from registered objects{garbage}", bytes(rest));
    }
    Some(text + ".")
}

/// How the largest component changed between two snapshots that tell its bytes, both after a full collection or both without.
fn change(aggregate: &Aggregate) -> Option<String> {
    if aggregate.jvms.len() != 1 {
        return None;
    }
    let name = &aggregate.components.first()?.component;
    let mut known = aggregate.history.iter().filter(|point| point.held_bytes(name).is_some());
    let last = known.clone().next_back()?;
    let first = known.find(|point| point.collected == last.collected)?;
    if first.seq == last.seq {
        return None;
    }
    let (before, after) = (first.held_bytes(name)?, last.held_bytes(name)?);
    let verb = match before.cmp(&after) {
        std::cmp::Ordering::Less => "grew",
        std::cmp::Ordering::Equal => return None,
        std::cmp::Ordering::Greater => "shrank",
    };
    Some(format!(
        "`{name}` {verb} from {} at {} to {} at {}.",
        bytes(before),
        elapsed(first.uptime_ms?),
        bytes(after),
        elapsed(last.uptime_ms?),
    ))
}

/// The class whose live objects have gained the most ages since the first snapshot.
fn ever_more_ages(aggregate: &Aggregate) -> Option<String> {
    let gains = aggregate.classes.iter().filter_map(|row| {
        let ages = row.ages.as_ref()?;
        let (first, now) = (ages.generations_first?, ages.generations?);
        Some((now.checked_sub(first).filter(|gain| *gain >= MANY_AGES)?, first, now, row))
    });
    let (_, first, now, row) = gains.reduce(|most, other| if other.0 > most.0 { other } else { most })?;
    Some(format!(
        "The live objects of `{}` are of {} different ages, {} at the first snapshot: objects of ever more collections stay.",
        row.class,
        count(now),
        count(first),
    ))
}

/// What was allocated between the last two collections.
fn cycle(aggregate: &Aggregate) -> Option<String> {
    let busiest = aggregate.classes.iter().filter(|row| row.last_cycle.is_some()).max_by_key(|row| row.last_cycle)?;
    let objects = busiest.last_cycle.filter(|objects| *objects > 0)?;
    let size = busiest.last_cycle_bytes.map_or_else(String::new, |n| format!(" ({})", bytes(n)));
    Some(format!(
        "Between the last two collections `{}` allocated the most instrumented objects: {}{size}.",
        busiest.class,
        count(objects),
    ))
}

/// Why classes are sampled, the most frequent reason first; empty if the recordings do not say it.
fn reasons(aggregate: &Aggregate) -> String {
    let texts = [
        (SampledFor::Rate, "constructed more objects between two collections than are registered one by one"),
        (SampledFor::Share, "had more live objects than their share of the references"),
        (SampledFor::Lost, "had an object that could not be registered (memory or stack ran out, or counting was off)"),
        (SampledFor::Copies, "may have been copied by the clone() of a class without probes, which nothing counts"),
        (SampledFor::Memory, "are counted exactly, but the walk had no memory to begin at each object (`walk_memory`)"),
    ];
    let mut found: Vec<(usize, &str)> = texts
        .iter()
        .map(|(reason, text)| (aggregate.classes.iter().filter(|row| row.sampled_for.contains(reason)).count(), *text))
        .filter(|(classes, _)| *classes > 0)
        .collect();
    found.sort_by_key(|(classes, _)| std::cmp::Reverse(*classes));
    found.iter().map(|(classes, text)| format!(" {} {text}.", count(*classes as u64))).collect()
}

fn caveats(aggregate: &Aggregate) -> Vec<String> {
    let mut sentences = Vec::new();
    let tracked = aggregate.classes.iter().filter(|row| row.live.is_some()).count();
    let sampled = aggregate.classes.iter().filter(|row| row.exact == Some(false)).count();
    if sampled > 0 {
        let counted =
            aggregate.classes.iter().filter(|row| row.exact == Some(false)).all(|row| row.counted == Some(true));
        let live = if counted { "live objects are the JVM's own count, ages are" } else { "live figures are" };
        sentences.push(format!(
            "{} of {} tracked classes are sampled: their {live} estimates, deep sizes are lower bounds.{}",
            count(sampled as u64),
            count(tracked as u64),
            reasons(aggregate),
        ));
    }
    let few = aggregate.classes.iter().filter(|row| few_met(row).is_some()).count();
    if few > 0 {
        sentences.push(format!(
            "Of {} fewer than nine in ten live objects were met: nothing that is registered leads to the others. Own bytes take \
             them to hold as much each as those met; what they reach is in no other figure.",
            count_with_noun(few as u64, "class", "classes"),
        ));
    }
    if let Some(closed) = aggregate.totals.closed_objects.filter(|n| *n > 0) {
        sentences.push(format!(
            "{} of closed modules were counted but not entered: deep sizes are lower bounds.",
            count_with_noun(closed, "object", "objects"),
        ));
    }
    if is_garbage(aggregate) {
        sentences.push(
            "No full marking of the heap is known (a full collection, or a cycle of a concurrent collector): objects that died \
             may be among those counted, so at most so many live."
                .to_owned(),
        );
    }
    for (index, jvm) in aggregate.jvms.iter().enumerate() {
        let name = if aggregate.jvms.len() == 1 { "The JVM".to_owned() } else { format!("JVM {}", index + 1) };
        sentences.extend(of_jvm(&name, jvm));
    }
    sentences
}

fn of_jvm(name: &str, jvm: &JvmRun) -> Vec<String> {
    let mut sentences = Vec::new();
    match &jvm.last {
        None => sentences.push(format!("{name} left no snapshot: it has no figures here.")),
        Some(last) => {
            if jvm.ending == Ending::Open {
                let when = last.uptime_ms.map_or_else(String::new, |ms| format!(" at {}", elapsed(ms)));
                sentences.push(format!(
                    "{name} did not end in order (killed, still running, or the file is cut): figures are those of its last snapshot{when}."
                ));
            }
            sentences.extend(marked_before(name, last));
            sentences.extend(jvm.stretched.map(|(interval, snapshots)| stretched(name, &interval, snapshots)));
            if let Some(reason) = last.walk.as_ref().and_then(|walk| walk.stopped.as_ref()) {
                sentences.push(format!("{name} has no deep sizes: the walk stopped early ({reason})."));
            }
        }
    }
    sentences
}

/// That the figures are older than the snapshot.
fn marked_before(name: &str, last: &Snapshot) -> Option<String> {
    let (at, now) = (last.live_at_ms()?, last.uptime_ms?);
    (last.collected != Some(true) && now.saturating_sub(at) >= A_WHILE_MS).then(|| {
        format!(
            "{name} marked its heap last at {}, {} before the last snapshot: live figures are of then, what was constructed \
             since is only among what was not collected.",
            elapsed(at),
            elapsed(now - at),
        )
    })
}

/// That measurements were taken less often than the options ask, and why.
fn stretched(name: &str, interval: &Interval, snapshots: u64) -> String {
    format!(
        "{name} stretched its interval of {} to up to {} (in {}): a measurement took {} of CPU, and `cpu_percent` allows measuring {} % of a core.",
        elapsed(interval.asked_ms),
        elapsed(interval.stretched_ms),
        count_with_noun(snapshots, "snapshot", "snapshots"),
        elapsed(interval.cost_ms),
        interval.cpu_percent,
    )
}
