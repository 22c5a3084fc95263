//! The names and meanings of the columns, which the text report and the page share.

use serde::Serialize;

/// The head of a column.
#[derive(Debug, Clone, Copy, Serialize)]
pub(crate) struct Heading {
    /// The name.
    pub(crate) title: &'static str,
    /// Below the name. Columns of bytes have the unit of their figures instead.
    pub(crate) unit: Option<&'static str>,
    /// What the column means.
    pub(crate) hint: Option<&'static str>,
}

impl Heading {
    pub(crate) const fn new(title: &'static str) -> Self {
        Heading { title, unit: None, hint: None }
    }

    pub(crate) const fn unit(self, unit: &'static str) -> Self {
        Heading { unit: Some(unit), ..self }
    }

    pub(crate) const fn hint(self, hint: &'static str) -> Self {
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

/// A struct of headings, and its only value.
macro_rules! headings {
    ($(#[$about:meta])* $($key:ident: $heading:expr,)*) => {
        $(#[$about])*
        #[derive(Debug, Clone, Serialize)]
        pub(crate) struct Headings {
            $(pub(crate) $key: Heading,)*
        }

        pub(crate) const HEADINGS: Headings = Headings { $($key: $heading,)* };
    };
}

headings! {
    /// The columns of several tables, and those that are no figure of a row, by the keys of the page's program.
    component: Heading::new("Component"),
    class: Heading::new("Class"),
    allocated: Heading::new("Allocated").unit("objects").hint("Objects whose constructor returned normally: exact"),
    not_collected: Heading::new("Not collected")
        .unit("objects")
        .hint("Objects that no collection has removed, dead ones among them: no more can live"),
    live: Heading::new("Live")
        .unit("objects")
        .hint("Objects that lived at the last full marking; estimated from a sample where there is a \u{b1}: half of the 95 % interval"),
    shallow: Heading::new("Shallow").hint("The live objects alone"),
    own: Heading::new("Own").hint("Held without passing an object of another row, and by no other row so"),
    deep: Heading::new("Deep")
        .hint("Everything they reach, each object once per row; rows overlap, so the column does not add up"),
    exclusive: Heading::new("Exclusive").hint("Reached from no other row of this table"),
    shared: Heading::new("Shared").hint("Reached from other rows too"),
    generations_first: Heading::new("Generations")
        .unit("first")
        .hint("Different ages among the live objects in the first snapshot"),
    generations: Heading::new("Generations")
        .unit("now")
        .hint("Different ages among the live objects at the last snapshot"),
    most_full: Heading::new("Most full").unit("collections").hint("Full collections that an object survived at most"),
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
}
