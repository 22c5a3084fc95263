//! `[[budget]]`: what may be live, and what `weighbridge check` refuses.

use serde::Deserialize;
use toml::Spanned;

use crate::reader::Reader;
use crate::{Pattern, Result, position};

/// A `[[budget]]`: a bound of one figure of classes, of a component or of a tag.
#[derive(Clone, Debug)]
pub struct MemoryBudget {
    /// What is bounded.
    pub subject: Subject,
    /// Which of its figures.
    pub figure: Figure,
    /// `max`: the figure must not be more, in its unit (bytes, objects, collections, or one of them a minute).
    pub max: Option<u64>,
    /// `max_increase`: nor more above the baseline's.
    pub max_increase: Option<Increase>,
    /// The line of the entry in the file, from 1.
    pub line: usize,
}

/// What a budget bounds.
#[derive(Clone, Debug)]
pub enum Subject {
    /// Each class that the pattern matches, on its own.
    Class(Pattern),
    /// A component, by its name.
    Component(String),
    /// What was constructed under a tag.
    Tag {
        /// Its key.
        key: String,
        /// Its value.
        value: String,
    },
}

/// A figure that can be bounded, by the names of the JSON report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum Figure {
    /// Live objects.
    Live,
    /// Shallow bytes of the live objects.
    ShallowBytes,
    /// Bytes held without passing an object of another row, and held so by no other row.
    OwnBytes,
    /// Bytes of everything reached from them.
    DeepBytes,
    /// The part of the deep bytes that is reached from nowhere else.
    ExclusiveBytes,
    /// The most live objects of any snapshot.
    PeakLive,
    /// The most deep bytes of any snapshot.
    PeakDeepBytes,
    /// Growth to the end of the run, objects a minute.
    LivePerMinute,
    /// Growth to the end of the run, own bytes a minute.
    OwnBytesPerMinute,
    /// Growth to the end of the run, deep bytes a minute. Of a component: of all that it reaches. The bytes of its
    /// classes overlap, so it is not their sum.
    DeepBytesPerMinute,
    /// Collections that the oldest tracked object survived.
    MaxAge,
}

/// How much more than the baseline a figure may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Increase {
    /// A part of the baseline's figure: 0.1 for `10 %`.
    Part(f64),
    /// An amount in the figure's unit.
    By(u64),
}

/// A `[[budget]]` as the file has it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(transform = crate::shape::budget_rules))]
pub(super) struct BudgetEntry {
    /// Each class that this pattern matches, separately.
    #[cfg_attr(test, schemars(with = "Option<crate::shape::Class>"))]
    class: Option<Spanned<String>>,
    /// A component, by its name.
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub(super) component: Option<Spanned<String>>,
    /// What was constructed under a tag, `key=value`.
    #[cfg_attr(test, schemars(with = "Option<crate::shape::Tag>"))]
    tag: Option<Spanned<String>>,
    /// Which figure is limited.
    #[cfg_attr(test, schemars(with = "Figure"))]
    figure: Spanned<Figure>,
    /// The most that is allowed: a number, for bytes also "512 KiB", "64 MiB", "2 GiB".
    #[cfg_attr(test, schemars(with = "Option<crate::shape::Amount>"))]
    max: Option<Spanned<Amount>>,
    /// The most that is allowed above the baseline's figure: "10 %", or an amount.
    #[cfg_attr(test, schemars(with = "Option<crate::shape::Increase>"))]
    max_increase: Option<Spanned<Amount>>,
}

/// A number, or a text with a unit.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Amount {
    Number(i64),
    Text(String),
}

impl Figure {
    /// Its name in the configuration and in the JSON report.
    pub fn name(self) -> &'static str {
        match self {
            Figure::Live => "live",
            Figure::ShallowBytes => "shallow_bytes",
            Figure::OwnBytes => "own_bytes",
            Figure::DeepBytes => "deep_bytes",
            Figure::ExclusiveBytes => "exclusive_bytes",
            Figure::PeakLive => "peak_live",
            Figure::PeakDeepBytes => "peak_deep_bytes",
            Figure::LivePerMinute => "live_per_minute",
            Figure::OwnBytesPerMinute => "own_bytes_per_minute",
            Figure::DeepBytesPerMinute => "deep_bytes_per_minute",
            Figure::MaxAge => "max_age",
        }
    }

    /// Whether its unit is bytes, or bytes a minute.
    pub fn is_bytes(self) -> bool {
        self.name().contains("bytes")
    }

    /// Whether it is a figure of the objects that live at the last snapshot.
    pub fn is_of_live_objects(self) -> bool {
        use Figure::{DeepBytes, ExclusiveBytes, Live, OwnBytes, ShallowBytes};
        matches!(self, Live | ShallowBytes | OwnBytes | DeepBytes | ExclusiveBytes)
    }

    /// Whether it tells how fast another figure grows.
    pub fn is_growth(self) -> bool {
        self.name().ends_with("_per_minute")
    }

    /// Why a subject has no such figure.
    fn missing_for(self, subject: &Subject) -> Option<&'static str> {
        match (subject, self) {
            (Subject::Class(_), Figure::PeakDeepBytes) => Some("`peak_deep_bytes` is kept of components only"),
            (Subject::Tag { .. }, figure)
                if !matches!(figure, Figure::Live | Figure::ShallowBytes | Figure::OwnBytes) =>
            {
                Some("of a tag only `live`, `shallow_bytes` and `own_bytes` are measured")
            }
            _ => None,
        }
    }
}

impl Reader<'_> {
    pub(super) fn budgets(&self, entries: Vec<Spanned<BudgetEntry>>) -> Result<Vec<MemoryBudget>> {
        entries.into_iter().map(|entry| self.budget(entry)).collect()
    }

    fn budget(&self, entry: Spanned<BudgetEntry>) -> Result<MemoryBudget> {
        let span = entry.span();
        let entry = entry.into_inner();
        let subject = match (entry.class, entry.component, entry.tag) {
            (Some(class), None, None) => Subject::Class(self.pattern(&class)?),
            (None, Some(name), None) => Subject::Component(name.into_inner()),
            (None, None, Some(tag)) => match tag.get_ref().split_once('=') {
                Some((key, value)) => Subject::Tag { key: key.to_owned(), value: value.to_owned() },
                None => {
                    let message = format!("`{}` is no tag: `key=value`", tag.get_ref().escape_debug());
                    return Err(self.fault(tag.span(), &message));
                }
            },
            _ => return Err(self.fault(span, "a budget has one of `class`, `component` and `tag`")),
        };
        let figure = *entry.figure.get_ref();
        if let Some(message) = figure.missing_for(&subject) {
            return Err(self.fault(entry.figure.span(), message));
        }
        if entry.max.is_none() && entry.max_increase.is_none() {
            return Err(self.fault(span, "a budget has `max`, `max_increase` or both"));
        }
        Ok(MemoryBudget {
            subject,
            figure,
            max: entry.max.map(|max| self.amount(figure, &max)).transpose()?,
            max_increase: entry.max_increase.map(|increase| self.increase(figure, &increase)).transpose()?,
            line: position::line_and_column(self.text, span.start).0,
        })
    }

    fn increase(&self, figure: Figure, increase: &Spanned<Amount>) -> Result<Increase> {
        let percent = match increase.get_ref() {
            Amount::Text(text) => text.trim().strip_suffix('%'),
            Amount::Number(_) => None,
        };
        match percent.map(|number| number.trim().parse::<f64>()) {
            None => self.amount(figure, increase).map(Increase::By),
            Some(Ok(percent)) if percent.is_finite() && percent >= 0.0 => Ok(Increase::Part(percent / 100.0)),
            Some(_) => Err(self.fault(increase.span(), "an increase is a part of the baseline, `10 %`, or an amount")),
        }
    }

    pub(super) fn amount(&self, figure: Figure, amount: &Spanned<Amount>) -> Result<u64> {
        let (parsed, text) = match amount.get_ref() {
            Amount::Number(number) => (u64::try_from(*number).ok(), number.to_string()),
            Amount::Text(text) if figure.is_bytes() => (size(text), text.clone()),
            Amount::Text(text) => (None, text.clone()),
        };
        parsed.ok_or_else(|| {
            let text = text.escape_debug();
            let message = match figure.is_bytes() {
                true => format!("`{text}` is no size: bytes as a number, or `512 KiB`, `64 MiB`, `2 GiB`"),
                false => format!("`{}` is counted: `{text}` is no number from 0", figure.name()),
            };
            self.fault(amount.span(), &message)
        })
    }
}

/// Bytes of `64 MiB`, with at most the precision of a float.
fn size(text: &str) -> Option<u64> {
    let text = text.trim();
    let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
    let unit = match text[digits.len()..].trim() {
        "" | "B" => 1.0,
        "KiB" => 1024.0,
        "MiB" => 1024.0 * 1024.0,
        "GiB" => 1024.0 * 1024.0 * 1024.0,
        _ => return None,
    };
    let number = digits.trim().parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 0.0)?;
    let bytes = number * unit;
    (bytes < u64::MAX as f64).then_some(bytes.round() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_binary_units() {
        let sizes = ["0", "1024", "1 KiB", "1.5 MiB", "2GiB", "64 MB", "-1", "", "MiB"].map(size);
        let expected = [Some(0), Some(1024), Some(1024), Some(3 << 19), Some(2 << 30), None, None, None, None];
        assert_eq!(sizes, expected);
    }
}
