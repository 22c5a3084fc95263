//! How far a figure can be trusted: the one rule of every table, of the page, and of `watch`.

/// How far a figure can be trusted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Trust {
    /// It is exact.
    #[default]
    Exact,
    /// A lower bound.
    AtLeast,
    /// An upper bound.
    AtMost,
    /// It may be too high or too low.
    About,
    /// An estimate, with half of its 95 % interval, which is less than the figure.
    Within(u64),
    /// The interval is as wide as the figure: its upper end is shown instead.
    NoMore(u64),
    /// Only a lower bound is known, which is shown instead.
    NoLess(u64),
}

/// The signs of a medium.
#[derive(Debug)]
pub struct TrustMarks {
    pub(crate) unknown: &'static str,
    at_least: &'static str,
    at_most: &'static str,
    about: &'static str,
    /// Before a figure with an interval, and between the two.
    within: [&'static str; 2],
}

impl TrustMarks {
    /// Those of text and terminals.
    pub const TEXT: TrustMarks =
        TrustMarks { unknown: "-", at_least: "\u{2265}", at_most: "\u{2264}", about: "~", within: ["", " \u{b1}"] };
    /// Those of the page.
    pub(crate) const PAGE: TrustMarks = TrustMarks {
        unknown: "\u{2013}",
        at_least: "\u{2265} ",
        at_most: "\u{2264} ",
        about: "\u{2248} ",
        within: ["\u{2248} ", " \u{b1} "],
    };
}

impl Trust {
    /// Exact if known to be, else an estimate.
    pub fn unless(exact: Option<bool>) -> Trust {
        Trust::about_if(exact != Some(true))
    }

    /// Without bounds, if only a mark has room.
    pub fn in_short(self) -> Trust {
        match self {
            Trust::Exact | Trust::AtLeast | Trust::AtMost => self,
            Trust::NoMore(_) => Trust::AtMost,
            Trust::NoLess(_) => Trust::AtLeast,
            _ => Trust::About,
        }
    }

    /// The same with garbage among the objects: what was exact is an upper bound, and what missed some may err either way.
    fn with_garbage(self, garbage: bool) -> Trust {
        match self {
            _ if !garbage => self,
            Trust::Exact | Trust::AtMost => Trust::AtMost,
            Trust::NoMore(_) => self,
            _ => Trust::About,
        }
    }

    pub(crate) fn about_if(inexact: bool) -> Trust {
        if inexact { Trust::About } else { Trust::Exact }
    }

    /// The sign before the figure.
    pub(crate) fn mark(self, marks: &TrustMarks) -> &'static str {
        match self {
            Trust::AtLeast => marks.at_least,
            Trust::AtMost => marks.at_most,
            Trust::About => marks.about,
            Trust::Within(_) => marks.within[0],
            Trust::Exact | Trust::NoMore(_) | Trust::NoLess(_) => "",
        }
    }

    /// The figure with its mark, or the sign for one that was not measured.
    pub fn marked(self, figure: Option<u64>, written: impl Fn(u64) -> String, marks: &TrustMarks) -> String {
        match (figure, self) {
            (None, _) => marks.unknown.to_owned(),
            (Some(n), Trust::Within(half)) => {
                format!("{}{}{}{}", marks.within[0], written(n), marks.within[1], written(half))
            }
            (_, Trust::NoMore(n)) => format!("at most {}", written(n)),
            (_, Trust::NoLess(n)) => format!("at least {}", written(n)),
            (Some(n), _) => format!("{}{}", self.mark(marks), written(n)),
        }
    }
}

/// What blurs the figures of all rows of a report.
#[derive(Debug, Clone, Copy, Default)]
pub struct Blur {
    /// Sizes are estimated by the layout formula.
    pub formula: bool,
    /// Objects were counted that could not be entered.
    pub closed: bool,
    /// Some class is sampled.
    pub sampled: bool,
    /// No full marking is known: dead objects may be counted.
    pub garbage: bool,
}

impl Blur {
    /// A sum of live objects.
    pub(crate) fn objects(self, exact: Option<bool>) -> Trust {
        Trust::about_if(exact == Some(false)).with_garbage(self.garbage)
    }

    /// Shallow bytes of a row. Its live count may be known exactly though not every object is tracked.
    pub fn shallow(self, exact: Option<bool>, live_error: Option<f64>) -> Trust {
        let counted = live_error == Some(0.0) && exact != Some(true);
        Trust::about_if(!counted && (exact == Some(false) || self.formula)).with_garbage(self.garbage)
    }

    /// Bytes of what a thread or a tag constructed: these rows have an error, but do not say whether they are exact.
    pub fn constructed(self, live_error: Option<f64>) -> Trust {
        Trust::about_if(live_error != Some(0.0) || self.formula).with_garbage(self.garbage)
    }

    /// Deep bytes of a row.
    pub fn deep(self, exact: Option<bool>) -> Trust {
        match exact == Some(false) || self.closed {
            true => Trust::AtLeast,
            false => Trust::about_if(self.formula),
        }
        .with_garbage(self.garbage)
    }

    /// Bytes that a row reaches or holds alone. They depend on all other rows, so one sampled class blurs them all.
    pub fn split(self) -> Trust {
        Trust::about_if(self.sampled || self.closed || self.formula).with_garbage(self.garbage)
    }
}

/// A count of objects and its bounds.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Estimate {
    /// Objects.
    pub(crate) count: Option<u64>,
    /// One standard error of it; 0 if it is exact.
    pub(crate) error: Option<f64>,
    /// Whether every object is tracked.
    pub(crate) exact: Option<bool>,
    /// Objects seen alive: a lower bound.
    pub(crate) seen: Option<u64>,
    /// Objects constructed: an upper bound.
    pub(crate) allocated: Option<u64>,
    /// Dead objects may be counted.
    pub(crate) garbage: bool,
}

impl Estimate {
    pub(crate) fn trust(self) -> Trust {
        let Some(count) = self.count else { return Trust::Exact };
        if self.exact == Some(true) || self.error == Some(0.0) {
            return Trust::Exact.with_garbage(self.garbage);
        }
        let Some(error) = self.error else { return Trust::About };
        let half = (1.96 * error).ceil() as u64;
        let most = count.saturating_add(half);
        match self.allocated {
            // What was counted may be dead, so there is no lower bound.
            _ if self.garbage => Trust::NoMore(self.allocated.map_or(most, |allocated| allocated.min(most))),
            _ if half < count => Trust::Within(half),
            Some(allocated) if most >= allocated => match self.seen {
                Some(seen) if seen > 0 => Trust::NoLess(seen),
                _ => Trust::NoMore(allocated),
            },
            _ => Trust::NoMore(most),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn estimate(count: u64, error: f64) -> Estimate {
        Estimate {
            count: Some(count),
            error: Some(error),
            exact: Some(false),
            seen: Some(3),
            allocated: Some(1000),
            garbage: false,
        }
    }

    #[test]
    fn a_figure_without_an_error_is_exact_whether_or_not_every_object_is_tracked() {
        assert_eq!(estimate(500, 0.0).trust(), Trust::Exact);
        assert_eq!(Estimate { exact: Some(true), error: None, ..estimate(500, 0.0) }.trust(), Trust::Exact);
    }

    #[test]
    fn an_interval_that_is_wider_than_its_figure_is_a_bound() {
        assert_eq!(estimate(500, 100.0).trust(), Trust::Within(196));
        assert_eq!(estimate(100, 100.0).trust(), Trust::NoMore(296));
        assert_eq!(estimate(0, 2.0).trust(), Trust::NoMore(4));
    }

    #[test]
    fn no_bound_is_above_what_was_constructed() {
        assert_eq!(estimate(600, 400.0).trust(), Trust::NoLess(3));
        assert_eq!(Estimate { seen: Some(0), ..estimate(600, 400.0) }.trust(), Trust::NoMore(1000));
        assert_eq!(Estimate { allocated: None, ..estimate(600, 400.0) }.trust(), Trust::NoMore(1384));
    }

    #[test]
    fn with_garbage_every_figure_is_a_bound_above_or_no_bound() {
        let garbage = |estimate| Estimate { garbage: true, ..estimate };
        assert_eq!(garbage(estimate(500, 0.0)).trust(), Trust::AtMost);
        assert_eq!(garbage(estimate(500, 100.0)).trust(), Trust::NoMore(696));
        assert_eq!(garbage(estimate(900, 100.0)).trust(), Trust::NoMore(1000));
        let blur = Blur { garbage: true, ..Blur::default() };
        assert_eq!((blur.deep(Some(true)), blur.deep(Some(false))), (Trust::AtMost, Trust::About));
        assert_eq!((blur.split(), blur.shallow(Some(true), None)), (Trust::AtMost, Trust::AtMost));
    }

    #[test]
    fn one_sampled_class_blurs_what_other_rows_hold_alone_but_not_what_they_reach() {
        let blur = Blur { sampled: true, ..Blur::default() };
        assert_eq!(
            (blur.split(), blur.deep(Some(true)), blur.deep(Some(false))),
            (Trust::About, Trust::Exact, Trust::AtLeast)
        );
        assert_eq!(
            (blur.shallow(Some(false), Some(3.0)), blur.shallow(Some(false), Some(0.0))),
            (Trust::About, Trust::Exact)
        );
    }

    #[test]
    fn a_figure_has_the_marks_of_its_medium() {
        let marked = |trust: Trust, marks| trust.marked(Some(7), |n| n.to_string(), marks);
        assert_eq!(marked(Trust::Within(2), &TrustMarks::TEXT), "7 \u{b1}2");
        assert_eq!(marked(Trust::Within(2), &TrustMarks::PAGE), "\u{2248} 7 \u{b1} 2");
        assert_eq!(marked(Trust::AtLeast, &TrustMarks::TEXT), "\u{2265}7");
        assert_eq!(marked(Trust::NoMore(9), &TrustMarks::PAGE), "at most 9");
        assert_eq!(Trust::About.marked(None, |n| n.to_string(), &TrustMarks::TEXT), "-");
    }
}
