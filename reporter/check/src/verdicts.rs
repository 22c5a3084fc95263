//! Writes verdicts for people and for build servers.

use std::io::{self, Write};

use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};
use serde::Serialize;
use weighbridge_reporter::json::pretty;
use weighbridge_reporter::{printable, units};

use crate::judge::{Outcome, Verdict};

/// Version of the JSON form.
const FORMAT: u32 = 1;

impl Outcome {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Outcome::Held => "held",
            Outcome::Broken => "broken",
            Outcome::WithinError => "within the error",
            Outcome::NotMeasured => "not measured",
            Outcome::NotFound => "not found",
        }
    }
}

/// A verdict on one line that is safe to print, without the budget's line number.
pub(crate) fn sentence(verdict: &Verdict) -> String {
    printable(&foreign_sentence(verdict))
}

fn foreign_sentence(verdict: &Verdict) -> String {
    let Verdict { subject, figure, .. } = verdict;
    let limit = || match (verdict.limit, verdict.baseline) {
        (Some(limit), Some(before)) => {
            format!("{} allowed, {} in the baseline", amount(verdict, limit), amount(verdict, before))
        }
        (Some(limit), None) => format!("{} allowed", amount(verdict, limit)),
        _ => "no limit known".to_owned(),
    };
    let value = || {
        let value = verdict.value.map_or_else(String::new, |value| amount(verdict, value));
        let error = verdict.error.filter(|error| *error > 0.0);
        let error =
            error.map_or_else(String::new, |error| format!(" \u{b1}{} (sampled)", amount(verdict, 2.0 * error)));
        let least = if verdict.lower_bound { "at least " } else { "" };
        let over = verdict.over.map_or_else(String::new, |over| {
            format!(" from {} to {} of the run", units::elapsed(over.from_uptime_ms), units::elapsed(over.to_uptime_ms))
        });
        format!("{least}{value}{error}{over}")
    };
    if let (Some(detail), Some(more)) = (&verdict.detail, verdict.value) {
        return format!("{subject}: {figure} {} {detail}, {}", amount(verdict, more), limit());
    }
    match verdict.outcome {
        Outcome::Held | Outcome::Broken => format!("{subject}: {figure} {}, {}", value(), limit()),
        Outcome::WithinError => {
            format!("{subject}: {figure} {}, {}: more, but by less than sampling explains", value(), limit())
        }
        Outcome::NotMeasured => match &verdict.reason {
            Some(reason) => format!("{subject}: {figure} was not judged ({reason}), so the budget says nothing"),
            None => format!("{subject}: {figure} was not measured, so the budget says nothing"),
        },
        Outcome::NotFound => {
            if verdict.bound == "rounds" {
                return format!(
                    "{subject}: no measurement of this round trip is in the recordings, so it says nothing; is the name right?"
                );
            }
            format!("{subject}: nothing of this name was constructed, so the budget says nothing; is the name right?")
        }
    }
}

pub(crate) fn amount(verdict: &Verdict, value: f64) -> String {
    let per_minute = if verdict.figure.ends_with("_per_minute") { "/min" } else { "" };
    let sign = if value < 0.0 { "-" } else { "" };
    let size = value.abs();
    match verdict.is_bytes {
        true => format!("{sign}{}{per_minute}", units::bytes(size.round() as u64)),
        false if size.fract() == 0.0 => format!("{sign}{}{per_minute}", units::count(size as u64)),
        false => format!("{sign}{size:.1}{per_minute}"),
    }
}

/// One line for each verdict but those that held, and one that counts them.
pub fn text(verdicts: &[Verdict], config_path: &str, out: &mut dyn Write) -> io::Result<()> {
    for verdict in verdicts.iter().filter(|verdict| verdict.outcome != Outcome::Held) {
        writeln!(
            out,
            "{}: {} ({}, line {})",
            verdict.outcome.word(),
            sentence(verdict),
            printable(config_path),
            verdict.line
        )?;
    }
    let of = |outcome: Outcome| verdicts.iter().filter(|verdict| verdict.outcome == outcome).count() as u64;
    let counts: Vec<String> =
        [Outcome::Broken, Outcome::WithinError, Outcome::NotMeasured, Outcome::NotFound, Outcome::Held]
            .into_iter()
            .filter(|outcome| of(*outcome) > 0)
            .map(|outcome| format!("{} {}", units::count(of(outcome)), outcome.word()))
            .collect();
    let all = units::count_with_noun(verdicts.len() as u64, "check", "checks");
    writeln!(out, "{all}: {}", counts.join(", "))
}

/// All verdicts, for programs.
pub fn json(verdicts: &[Verdict], config_path: &str, mut out: &mut dyn Write) -> io::Result<()> {
    #[derive(Serialize)]
    struct VerdictDocument<'a> {
        format: u32,
        config: &'a str,
        broken: usize,
        verdicts: Vec<VerdictRow<'a>>,
    }
    #[derive(Serialize)]
    struct VerdictRow<'a> {
        #[serde(flatten)]
        verdict: &'a Verdict,
        sentence: String,
    }
    let document = VerdictDocument {
        format: FORMAT,
        config: config_path,
        broken: verdicts.iter().filter(|verdict| verdict.outcome == Outcome::Broken).count(),
        verdicts: verdicts.iter().map(|verdict| VerdictRow { verdict, sentence: sentence(verdict) }).collect(),
    };
    pretty(&document, &mut out)
}

/// Annotations at the budget's line: <https://docs.github.com/actions/reference/workflow-commands-for-github-actions>.
pub fn github(verdicts: &[Verdict], config_path: &str, out: &mut dyn Write) -> io::Result<()> {
    let data = |text: &str| printable(text).replace('%', "%25");
    let property = |text: &str| data(text).replace(':', "%3A").replace(',', "%2C");
    for verdict in verdicts {
        let level = match verdict.outcome {
            Outcome::Held => continue,
            Outcome::Broken | Outcome::NotMeasured => "error",
            Outcome::WithinError | Outcome::NotFound => "warning",
        };
        let title = format!("Memory budget {}", verdict.outcome.word());
        writeln!(
            out,
            "::{level} file={},line={},title={}::{}",
            property(config_path),
            verdict.line,
            property(&title),
            data(&sentence(verdict))
        )?;
    }
    Ok(())
}

/// One suite with a test case for each verdict. A broken budget is a failure, a figure that was not measured is an error,
/// and a verdict that may be within the budget is skipped with its reason. The schema is that of the xUnit plugin of
/// Jenkins, as Surefire writes it.
pub fn junit(verdicts: &[Verdict], config_path: &str, mut out: &mut dyn Write) -> io::Result<()> {
    let of = |outcomes: &[Outcome]| verdicts.iter().filter(|v| outcomes.contains(&v.outcome)).count().to_string();
    let mut xml = Writer::new_with_indent(&mut out, b' ', 2);
    xml.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    xml.create_element("testsuites").write_inner_content(|xml| {
        let suite = xml.create_element("testsuite").with_attributes([
            ("name", "weighbridge check"),
            ("tests", verdicts.len().to_string().as_str()),
            ("failures", of(&[Outcome::Broken]).as_str()),
            ("errors", of(&[Outcome::NotMeasured]).as_str()),
            ("skipped", of(&[Outcome::WithinError, Outcome::NotFound]).as_str()),
            ("file", printable(config_path).as_str()),
        ]);
        suite.write_inner_content(|xml| verdicts.iter().try_for_each(|verdict| test_case(verdict, xml)))?;
        Ok(())
    })?;
    writeln!(out)
}

fn test_case(verdict: &Verdict, xml: &mut Writer<impl Write>) -> io::Result<()> {
    let name = format!("{} {} ({}, line {})", verdict.subject, verdict.figure, verdict.bound, verdict.line);
    // XML 1.0 has no way to write most control characters either.
    let name = printable(&name);
    let sentence = sentence(verdict);
    let case = xml.create_element("testcase");
    case.with_attributes([("name", name.as_str()), ("classname", "weighbridge.budget")]).write_inner_content(
        |xml| {
            let element = match verdict.outcome {
                Outcome::Held => {
                    xml.create_element("system-out").write_text_content(BytesText::new(&sentence))?;
                    return Ok(());
                }
                Outcome::Broken => "failure",
                Outcome::NotMeasured => "error",
                Outcome::WithinError | Outcome::NotFound => "skipped",
            };
            let attributes = [("message", sentence.as_str()), ("type", verdict.outcome.word())];
            xml.create_element(element).with_attributes(attributes).write_empty()?;
            Ok(())
        },
    )?;
    Ok(())
}
