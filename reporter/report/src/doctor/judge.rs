//! Decides what is wrong, by thresholds that docs/doctor.md names.

use serde_json::Value;

use super::Finding;
use super::looks::Look;
use crate::flight::FlightReport;
use crate::traces::Forgotten;
use weighbridge_table::units::{bytes, count, count_with_noun};

/// Threads that wait so much of the time for a lock are in each other's way, if they do it so often.
const WAITING: f64 = 0.2;
const OFTEN: u64 = 20;
/// Input and output that takes so long each time, and so much of the time together.
const SLOW_NS: u64 = 10_000_000;
/// Ports below are of services, above of their clients.
const FIRST_CLIENT_PORT: u16 = 32_768;
/// Exceptions a second.
const STORM: f64 = 200.0;
/// Bytes a second, and the part of them that one class has.
const HOT: f64 = (512u64 << 20) as f64;
const HOT_PART: f64 = 0.4;
/// The part of the time for which collections stop the program.
const STOPPED: f64 = 0.1;
/// What grows: by so many objects and bytes, and by this part, in two stretches of time alike.
const GROWN_OBJECTS: u64 = 50;
const GROWN_BYTES: u64 = 256 << 10;
const GROWN_PART: f64 = 0.02;
const NEW_LOADERS: u64 = 3;
/// Objects of a class that are few, and classes whose objects are looked at.
const FEW: u64 = 1_000;
const FEW_CLASSES: usize = 200;

/// Deadlocks of a dump of threads.
pub fn deadlocks(found: &[Vec<String>], pid: u32) -> Option<Finding> {
    let first = found.first()?;
    let threads: Vec<&str> =
        first.iter().filter(|line| line.starts_with('"')).map(|line| line.trim_end_matches(':')).collect();
    Some(Finding {
        kind: "deadlock",
        says: format!(
            "{} wait for each other and will never go on: {}.",
            count_with_noun(threads.len() as u64, "thread", "threads"),
            threads.join(", ")
        ),
        because: found.concat(),
        next: Some(format!("jcmd {pid} Thread.print -l")),
    })
}

/// What Flight Recorder has seen in so many seconds.
pub fn flight(figures: &FlightReport, seconds: f64, pid: u32) -> Vec<Finding> {
    let all = [
        contention(figures, seconds, pid),
        slow_io(figures, seconds),
        storm(figures, seconds, pid),
        hot(figures, seconds, pid),
        stopped(figures, seconds),
    ];
    all.into_iter().flatten().collect()
}

fn seconds_of(ns: u64) -> String {
    format!("{:.1} s", ns as f64 / 1e9)
}

fn contention(figures: &FlightReport, seconds: f64, pid: u32) -> Option<Finding> {
    let worst = figures.waits.iter().filter(|row| row.kind == "enter").max_by_key(|row| row.duration_ns)?;
    if (worst.duration_ns as f64) < WAITING * seconds * 1e9 || worst.count < OFTEN {
        return None;
    }
    let mut because = vec![format!(
        "{} of {:.0} s were waited for it, {} times, {:.1} ms at most",
        seconds_of(worst.duration_ns),
        seconds,
        count(worst.count),
        worst.longest_ns as f64 / 1e6
    )];
    because.extend(worst.waiting_in.iter().map(|method| format!("most of it in {method}")));
    because.extend(worst.held_by.iter().map(|thread| format!("held meanwhile by the thread {thread}")));
    Some(Finding {
        kind: "lock_contention",
        says: format!("Threads wait for one lock, of class {}.", worst.class),
        because,
        next: Some(format!("weighbridge trace {pid} monitors time")),
    })
}

fn slow_io(figures: &FlightReport, seconds: f64) -> Option<Finding> {
    // A server waits for its clients: that is nobody's fault.
    let of_client = |what: &str| {
        what.rsplit_once(':')
            .and_then(|(_, port)| port.parse::<u16>().ok())
            .is_some_and(|port| port >= FIRST_CLIENT_PORT)
    };
    let slow = figures.io.iter().filter(|row| {
        row.count > 0
            && row.duration_ns / row.count >= SLOW_NS
            && row.duration_ns as f64 >= WAITING * seconds * 1e9
            && !(row.operation == "socket read" && of_client(&row.what))
    });
    let worst = slow.max_by_key(|row| row.duration_ns)?;
    Some(Finding {
        kind: "slow_io",
        says: format!("Input and output are slow: {} of {}.", worst.operation, worst.what),
        because: vec![format!(
            "{} took {}, {:.1} ms each, {:.1} ms at most, {} together",
            count_with_noun(worst.count, "time", "times"),
            seconds_of(worst.duration_ns),
            worst.duration_ns as f64 / worst.count as f64 / 1e6,
            worst.longest_ns as f64 / 1e6,
            bytes(worst.bytes)
        )],
        next: None,
    })
}

fn storm(figures: &FlightReport, seconds: f64, pid: u32) -> Option<Finding> {
    let worst = figures.exceptions.iter().max_by_key(|row| row.count)?;
    let rate = worst.count as f64 / seconds;
    if rate < STORM {
        return None;
    }
    Some(Finding {
        kind: "exception_storm",
        says: format!("Exceptions are thrown all the time: {}, {} a second.", worst.class, count(rate as u64)),
        because: worst.thrown_by.iter().map(|method| format!("most of them by {method}")).collect(),
        next: Some(format!("weighbridge trace {pid} exceptions")),
    })
}

fn hot(figures: &FlightReport, seconds: f64, pid: u32) -> Option<Finding> {
    let all: u64 = figures.allocations.iter().map(|row| row.bytes).sum();
    let most = figures.allocations.iter().max_by_key(|row| row.bytes)?;
    let rate = all as f64 / seconds;
    if rate < HOT || (most.bytes as f64) < HOT_PART * all as f64 {
        return None;
    }
    let mut because = vec![format!(
        "{} a second are allocated, {:.0} % of it of this class (estimated from {} samples)",
        bytes(rate as u64),
        100.0 * most.bytes as f64 / all as f64,
        count(most.samples)
    )];
    because.extend(most.allocated_by.iter().map(|method| format!("most of it by {method}")));
    Some(Finding {
        kind: "hot_allocation",
        says: format!("Much is allocated for a short time: {}.", most.class),
        because,
        next: Some(format!("weighbridge trace {pid} allocations collections")),
    })
}

fn stopped(figures: &FlightReport, seconds: f64) -> Option<Finding> {
    let asked = |cause: &str| cause.contains("Inspection") || cause.contains("Diagnostic");
    let own = figures.collections.iter().filter(|row| !asked(&row.cause));
    let (pauses, number) = own.fold((0, 0), |(ns, n), row| (ns + row.pause_ns, n + row.count));
    if (pauses as f64) < STOPPED * seconds * 1e9 {
        return None;
    }
    Some(Finding {
        kind: "collections",
        says: "Collections stop the program for much of the time.".to_owned(),
        because: vec![format!(
            "{}: {} of {seconds:.0} s",
            count_with_noun(number, "collection", "collections"),
            seconds_of(pauses)
        )],
        next: None,
    })
}

/// The class that grows most, of live objects at three times: its name, its growth in objects and bytes.
pub fn growth(looks: &[Look; 3]) -> Option<(String, u64, u64)> {
    let [first, middle, last] = looks;
    let grown = |class: &str| {
        let (a, b, c) =
            (first.classes.class_totals(class), middle.classes.class_totals(class), last.classes.class_totals(class));
        let (early, late) = (b.0.checked_sub(a.0)?, c.0.checked_sub(b.0)?);
        // As much in the second stretch as in the first: what warms up grows less and less.
        let steady = early > 0 && late * 2 >= early;
        (steady && c.0 - a.0 >= GROWN_OBJECTS && c.1 > a.1).then(|| (class.to_owned(), c.0 - a.0, c.1 - a.1))
    };
    let all: Vec<(String, u64, u64)> = first.classes.names().chain(last.classes.names()).filter_map(grown).collect();
    let grown_bytes = last.classes.bytes().saturating_sub(first.classes.bytes());
    if grown_bytes < GROWN_BYTES || (grown_bytes as f64) < GROWN_PART * last.classes.bytes() as f64 {
        return None;
    }
    // The program's own class says more than the arrays and strings that it holds.
    let most = |of_program: bool| all.iter().filter(|row| is_of_program(&row.0) || !of_program).max_by_key(|row| row.2);
    most(true).or_else(|| most(false)).cloned()
}

/// Neither an array nor a class of the JDK.
fn is_of_program(class: &str) -> bool {
    let jdk = ["java.", "javax.", "jdk.", "sun.", "com.sun."];
    !class.ends_with("[]") && !jdk.iter().any(|jdk| class.starts_with(jdk))
}

/// The class of loaders of which there are ever more.
pub fn loaders(looks: &[Look; 3]) -> Option<(String, u64)> {
    let of = |look: &Look, class: &str| look.loaders.get(class).copied().unwrap_or(0);
    let grown = |class: &String| {
        let [a, b, c] = [0, 1, 2].map(|at| of(&looks[at], class));
        (b > a && c > b && c - a >= NEW_LOADERS).then(|| (class.clone(), c - a))
    };
    // The JDK makes loaders of its own for reflection.
    let of_program = |class: &&String| !class.starts_with("jdk.") && !class.starts_with("java.");
    looks[2].loaders.keys().filter(of_program).filter_map(grown).max_by_key(|(_, more)| *more)
}

/// What grows, by the commonest path to it: the JSON of `heap path`.
pub fn path(class: &str, grown: &str, figures: &Value, pid: u32, is_loader: bool) -> Finding {
    let steps = steps(figures);
    let holds = |what: &str| steps.iter().any(|step| step.contains(what));
    let is_map = |step: &String| {
        let name = step.rsplit("-> ").next().unwrap_or_default();
        name.starts_with("java.util.") && name.contains("Map") || name.contains("Cache")
    };
    let (kind, says) = if is_loader {
        ("class_loader_leak", format!("Class loaders are never collected: there are ever more of {class}."))
    } else if holds("ThreadLocal") {
        ("thread_local_leak", format!("Threads keep what they no longer need in thread-locals: ever more of {class}."))
    } else if steps.iter().any(is_map) {
        ("map_without_bound", format!("A map grows without bound: ever more of {class}."))
    } else {
        ("leak", format!("Objects are never let go: there are ever more of {class}."))
    };
    let mut because = vec![grown.to_owned()];
    because.extend(held_by(steps));
    Finding { kind, says, because, next: Some(to_path(pid, class)) }
}

/// The commonest path to objects, from the root on: the JSON of `heap path`.
fn steps(figures: &Value) -> Vec<String> {
    let rows = figures["paths"].as_array().map(Vec::as_slice).unwrap_or_default();
    // The first of each level: ways are in the order of their objects.
    let first = rows.iter().enumerate().take_while(|(level, row)| row["depth"] == *level).map(|(_, row)| row);
    let step = |row: &Value| {
        let via = row["via"].as_str().map_or_else(String::new, |via| format!("{via} -> "));
        format!("{via}{}", row["name"].as_str().unwrap_or_default())
    };
    first.map(step).collect()
}

/// The path as lines of reasons; none if it is not known.
fn held_by(steps: Vec<String>) -> impl Iterator<Item = String> {
    let title = (!steps.is_empty()).then(|| "what holds them, from the root on:".to_owned());
    title.into_iter().chain(steps)
}

fn to_path(pid: u32, class: &str) -> String {
    format!("weighbridge heap path {pid} {class}")
}

/// Classes of the program that have few objects, for a look at how these are used: the ones that grow first.
pub fn few(looks: &[Look; 3]) -> Vec<String> {
    let [first, .., last] = looks;
    // Hidden and generated classes cannot be named.
    let own = |class: &&str| is_of_program(class) && !class.contains('/') && !class.contains("$$");
    let mut classes: Vec<(i64, u64, &str)> = last
        .classes
        .names()
        .filter(own)
        .map(|class| {
            (
                first.classes.class_totals(class).0 as i64 - last.classes.class_totals(class).0 as i64,
                last.classes.class_totals(class).0,
                class,
            )
        })
        .filter(|(_, objects, _)| *objects <= FEW)
        .collect();
    classes.sort_unstable();
    classes.truncate(FEW_CLASSES);
    classes.into_iter().map(|(.., class)| class.to_owned()).collect()
}

/// Few objects that seem forgotten; `figures`: the JSON of `heap path`, null if it is not known who holds them.
pub fn forgotten(forgotten: &Forgotten, seconds: f64, figures: &Value, pid: u32) -> Finding {
    let stay = count_with_noun(forgotten.stay, "object", "objects");
    let made_by = forgotten.made_by.as_deref().map(|made_by| format!("most of them were made by {made_by}"));
    let mut because = vec![format!(
        "nobody has used them for {:.0} s at least; of {} that were made meanwhile, {} are gone",
        seconds / 2.0,
        count(forgotten.made),
        count(forgotten.died)
    )];
    because.extend(made_by);
    because.extend(held_by(steps(figures)));
    Finding {
        kind: "forgotten_objects",
        says: format!("Few objects stay that should be gone: {stay} of {}.", forgotten.class),
        because,
        next: Some(to_path(pid, &forgotten.class)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Histogram;
    use super::*;

    fn look(orders: u64) -> Look {
        let text = format!("1: {orders} {} com.acme.Order\n2: 1000 16000 java.lang.String\n", orders * 1000);
        Look { classes: Histogram::parse(&text), ..Look::default() }
    }

    #[test]
    fn only_what_goes_on_growing_is_found() {
        let found = growth(&[look(1000), look(2000), look(3000)]);
        assert_eq!(found, Some(("com.acme.Order".to_owned(), 2000, 2_000_000)));
        assert_eq!(growth(&[look(1000), look(3000), look(3100)]), None, "it warms up");
        assert_eq!(growth(&[look(3000), look(2000), look(4000)]), None);
        assert_eq!(growth(&[look(100_000), look(100_050), look(100_100)]), None, "too little to matter");
    }

    #[test]
    fn a_class_of_the_program_is_named_before_what_its_objects_hold_also_without_a_package() {
        let look = |carts: u64| {
            let text = format!("1: {} {} [B\n2: {carts} {} Shop$Cart\n", carts * 10, carts * 1000, carts * 16);
            Look { classes: Histogram::parse(&text), ..Look::default() }
        };
        let found = growth(&[look(1000), look(2000), look(3000)]);
        assert_eq!(found, Some(("Shop$Cart".to_owned(), 2000, 32_000)));
    }
}
