//! `[[round_trip]]`: what may remain of an operation that is done again and again, and what `weighbridge check` refuses.

use serde::Deserialize;
use toml::Spanned;

use crate::budget::{Amount, Figure, Subject};
use crate::reader::Reader;
use crate::{Result, position};

/// A `[[round_trip]]`: how much more than before the rounds may be live after them.
#[derive(Clone, Debug)]
pub struct RoundTrip {
    /// The name in the labels of the measurements, `Weighbridge.roundTrip(name, ...)`.
    pub name: String,
    /// What is bounded: every measured class if absent.
    pub subject: Option<Subject>,
    /// Live objects or own bytes.
    pub figure: Figure,
    /// By how much it may grow in all rounds, in its unit.
    pub max: u64,
    /// The line of the entry in the file, from 1.
    pub line: usize,
}

/// What may remain of an operation that is done again and again (docs/configuration.md).
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(transform = crate::shape::round_trip_rules))]
pub(super) struct RoundTripEntry {
    /// The name of the operation: `Weighbridge.roundTrip("login", 20, ...)`.
    #[cfg_attr(test, schemars(with = "crate::shape::RoundTripName"))]
    name: Spanned<String>,
    /// Each class that this pattern matches, separately. [default: every measured class]
    #[cfg_attr(test, schemars(with = "Option<crate::shape::Class>"))]
    class: Option<Spanned<String>>,
    /// A component, by its name.
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub(super) component: Option<Spanned<String>>,
    /// `live` or `own_bytes`. [default: "live"]
    #[cfg_attr(test, schemars(with = "Option<Figure>"))]
    figure: Option<Spanned<Figure>>,
    /// By how much it may grow in all rounds: a number, for bytes also "512 KiB". [default: 0]
    #[cfg_attr(test, schemars(with = "Option<crate::shape::Amount>"))]
    max: Option<Spanned<Amount>>,
}

impl Reader<'_> {
    pub(super) fn round_trips(&self, entries: Vec<Spanned<RoundTripEntry>>) -> Result<Vec<RoundTrip>> {
        entries.into_iter().map(|entry| self.round_trip(entry)).collect()
    }

    fn round_trip(&self, entry: Spanned<RoundTripEntry>) -> Result<RoundTrip> {
        let span = entry.span();
        let entry = entry.into_inner();
        let name = entry.name.get_ref();
        if name.trim() != name || name.is_empty() || name.contains(char::is_control) {
            return Err(self.fault(entry.name.span(), &format!("`{}` is no name of a round trip", name.escape_debug())));
        }
        let subject = match (entry.class, entry.component) {
            (None, None) => None,
            (Some(class), None) => Some(Subject::Class(self.pattern(&class)?)),
            (None, Some(name)) => Some(Subject::Component(name.into_inner())),
            (Some(_), Some(_)) => {
                return Err(self.fault(span, "a round trip has one of `class` and `component`, or none"));
            }
        };
        let figure = entry.figure.as_ref().map_or(Figure::Live, |figure| *figure.get_ref());
        if let (Some(given), false) = (&entry.figure, matches!(figure, Figure::Live | Figure::OwnBytes)) {
            return Err(self.fault(given.span(), "of a round trip only `live` and `own_bytes` are compared"));
        }
        Ok(RoundTrip {
            name: name.clone(),
            subject,
            figure,
            max: entry.max.map_or(Ok(0), |max| self.amount(figure, &max))?,
            line: position::line_and_column(self.text, span.start).0,
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::{Config, Figure, Subject};

    #[test]
    fn a_round_trip_may_leave_nothing_of_any_class_unless_it_says_more() {
        let text = "version = 1\n[[round_trip]]\nname = \"log in\"\n[[round_trip]]\nname = \"b\"\ncomponent = \"web\"\n\
                    figure = \"own_bytes\"\nmax = \"2 KiB\"\n";
        let config = Config::parse(text).unwrap();
        let [all, web] = &config.round_trips[..] else { panic!("{config:?}") };
        assert!(all.subject.is_none());
        assert_eq!((all.name.as_str(), all.figure, all.max, all.line), ("log in", Figure::Live, 0, 2));
        assert!(matches!(&web.subject, Some(Subject::Component(name)) if name == "web"));
        assert_eq!((web.figure, web.max, web.line), (Figure::OwnBytes, 2048, 4));
    }

    #[test]
    fn a_wrong_round_trip_is_refused_where_it_is_wrong() {
        let fault =
            |entry: &str| Config::parse(&format!("version = 1\n[[round_trip]]\n{entry}")).unwrap_err().to_string();
        for (entry, words) in [
            ("max = 1", "missing field `name`"),
            ("name = \" a\"", "line 3, column 8: ` a` is no name"),
            ("name = \"a\"\nclass = \"a.B\"\ncomponent = \"b\"", "line 2, column 1: a round trip has one of"),
            ("name = \"a\"\nfigure = \"max_age\"", "line 4, column 10: of a round trip only"),
            ("name = \"a\"\nmax = \"1 KiB\"", "is counted"),
            ("name = \"a\"\nrounds = 3", "unknown key `rounds`"),
        ] {
            assert!(fault(entry).contains(words), "{entry}: {}", fault(entry));
        }
    }
}
