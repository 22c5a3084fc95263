//! What the columns of reports are called and what they mean. The text report and the page take both from here, so that
//! a column has one name.

use serde::Serialize;

/// The head of a column.
#[derive(Debug, Clone, Copy, Serialize)]
pub(crate) struct Heading {
    /// The name.
    pub(crate) title: &'static str,
    /// Below the name. Columns of bytes have the unit that fits their figures instead.
    pub(crate) unit: Option<&'static str>,
    /// What the column means.
    pub(crate) hint: Option<&'static str>,
}

impl Heading {
    const fn new(title: &'static str) -> Self {
        Heading { title, unit: None, hint: None }
    }

    const fn unit(self, unit: &'static str) -> Self {
        Heading { unit: Some(unit), ..self }
    }

    const fn hint(self, hint: &'static str) -> Self {
        Heading { hint: Some(hint), ..self }
    }

    /// Title and unit, a line each; a title with a comma has two lines.
    pub(crate) fn lines(&self, unit: Option<&str>) -> String {
        let title = self.title.replace(", ", ",\n");
        match unit.or(self.unit) {
            Some(unit) => format!("{title}\n{unit}"),
            None => title,
        }
    }
}

/// All columns of all tables, by the keys that the page's program knows.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Headings {
    pub(crate) component: Heading,
    pub(crate) class: Heading,
    pub(crate) allocated: Heading,
    pub(crate) live: Heading,
    pub(crate) peak_live: Heading,
    pub(crate) median_age: Heading,
    pub(crate) oldest: Heading,
    pub(crate) shallow: Heading,
    pub(crate) own: Heading,
    pub(crate) deep: Heading,
    pub(crate) exclusive: Heading,
    pub(crate) shared: Heading,
    pub(crate) shared_even: Heading,
    pub(crate) peak_deep: Heading,
    pub(crate) more_generations: Heading,
    pub(crate) generations_first: Heading,
    pub(crate) generations: Heading,
    pub(crate) most_full: Heading,
    pub(crate) threads: Heading,
    pub(crate) tag: Heading,
    pub(crate) value: Heading,
    pub(crate) method: Heading,
    pub(crate) constructs: Heading,
    pub(crate) jvm: Heading,
    pub(crate) recording: Heading,
    pub(crate) program: Heading,
    pub(crate) pid: Heading,
    pub(crate) run: Heading,
    pub(crate) end: Heading,
    pub(crate) snapshots: Heading,
    pub(crate) used_heap: Heading,
    pub(crate) measured: Heading,
    pub(crate) jar: Heading,
    pub(crate) reason: Heading,
}

pub(crate) const HEADINGS: Headings = Headings {
    component: Heading::new("Component"),
    class: Heading::new("Class"),
    allocated: Heading::new("Allocated").unit("objects").hint("Objects whose constructor returned normally: exact"),
    live: Heading::new("Live")
        .unit("objects")
        .hint("Live objects; estimated from a sample where \u{b1} stands: half of the 95 % interval"),
    peak_live: Heading::new("Peak live")
        .unit("objects")
        .hint("The largest figure of any snapshot; between snapshots it may have been higher"),
    median_age: Heading::new("Median age")
        .unit("collections")
        .hint("Half of the live objects survived at least so many collections"),
    oldest: Heading::new("Oldest")
        .unit("collections")
        .hint("Collections, young and full, that the oldest tracked object survived"),
    shallow: Heading::new("Shallow").hint("The live objects alone"),
    own: Heading::new("Own").hint("Held without passing an object of another row, and by no other row so"),
    deep: Heading::new("Deep")
        .hint("Everything they reach, each object once per row; rows overlap, so the column does not add up"),
    exclusive: Heading::new("Exclusive").hint("Reached from no other row of this table"),
    shared: Heading::new("Shared").hint("Reached from other rows too"),
    shared_even: Heading::new("Shared, split evenly")
        .hint("The shared bytes split evenly among the components that reach them"),
    peak_deep: Heading::new("Peak deep")
        .hint("The largest figure of any snapshot; between snapshots it may have been higher"),
    more_generations: Heading::new("Generations")
        .unit("gained")
        .hint("Different ages of its live objects now, less those in the first snapshot: what leaks has ever more"),
    generations_first: Heading::new("Generations")
        .unit("first")
        .hint("Different ages among the live objects in the first snapshot"),
    generations: Heading::new("Generations")
        .unit("now")
        .hint("Different ages among the live objects at the last snapshot"),
    most_full: Heading::new("Most full").unit("collections").hint("Full collections that an object survived at most"),
    threads: Heading::new("Constructed by threads"),
    tag: Heading::new("Tag"),
    value: Heading::new("Value"),
    method: Heading::new("Constructing method"),
    constructs: Heading::new("Constructs"),
    jvm: Heading::new("JVM"),
    recording: Heading::new("Recording"),
    program: Heading::new("Program"),
    pid: Heading::new("Pid"),
    run: Heading::new("Run"),
    end: Heading::new("End"),
    snapshots: Heading::new("Snapshots"),
    used_heap: Heading::new("Used heap").hint("The JVM's own figure, garbage included"),
    measured: Heading::new("Measured").hint("What registered objects reach, each object once"),
    jar: Heading::new("Jar"),
    reason: Heading::new("Reason"),
};
