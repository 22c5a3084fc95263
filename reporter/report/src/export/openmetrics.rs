//! The aggregate as OpenMetrics text, for Prometheus and readers of its format.
//! <https://github.com/prometheus/OpenMetrics/blob/main/specification/OpenMetrics.md>

use std::fmt::Write as _;
use std::io::{self, Write};

use super::series::{Metric, metrics, names};
use crate::aggregate::Aggregate;
use crate::row::MetricKind;

impl MetricKind {
    fn word(self) -> &'static str {
        match self {
            MetricKind::Gauge => "gauge",
            MetricKind::Counter => "counter",
        }
    }

    /// The suffix of the samples' names; the family's name has none.
    fn suffix(self) -> &'static str {
        match self {
            MetricKind::Gauge => "",
            MetricKind::Counter => "_total",
        }
    }
}

/// The two text formats that Prometheus reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// OpenMetrics 1.0.0, `application/openmetrics-text`: families of counters have no `_total` in their names, units are
    /// stated, and `# EOF` is the end.
    OpenMetrics,
    /// Prometheus' 0.0.4, `text/plain`.
    Plain,
}

/// The text so far.
struct Page {
    text: String,
    dialect: Dialect,
}

/// An aggregate whose series have labels that distinguish it from others.
#[derive(Debug, Clone, Copy)]
pub struct Labelled<'a> {
    /// Names and values. All that are written together have the same names.
    pub labels: &'a [(&'a str, &'a str)],
    /// The figures.
    pub aggregate: &'a Aggregate,
}

/// Writes all families and `# EOF`. A family has at most `top` series beside `other`, or all with `None`.
///
/// `version` is the version of the program, for `weighbridge_build_info`.
pub fn write(aggregate: &Aggregate, top: Option<usize>, version: &str, output: &mut impl Write) -> io::Result<()> {
    write_each(&[Labelled { labels: &[], aggregate }], top, version, Dialect::OpenMetrics, output)
}

/// The same for several aggregates. `top` applies to each of them; the series of a family are together, as the format
/// requires.
pub fn write_each(
    all: &[Labelled],
    top: Option<usize>,
    version: &str,
    dialect: Dialect,
    output: &mut impl Write,
) -> io::Result<()> {
    let mut page = Page { text: String::new(), dialect };
    head(&mut page, "weighbridge_build_info", MetricKind::Gauge, "", "1, with the version of the program.");
    sample(&mut page, "weighbridge_build_info", &[("version", version)], 1.0);
    head(&mut page, "weighbridge_jvms", MetricKind::Gauge, "", "JVMs whose recordings were read.");
    sample(&mut page, "weighbridge_jvms", &[], all.iter().map(|one| one.aggregate.jvms.len() as f64).sum());
    let mut each: Vec<_> =
        all.iter().map(|one| (one.labels, metrics(one.aggregate, top).into_iter().peekable())).collect();
    for name in names() {
        let mut first = true;
        for (labels, metrics) in &mut each {
            let Some(Metric { kind, unit, help, series, .. }) = metrics.next_if(|metric| metric.name == name) else {
                continue;
            };
            if std::mem::take(&mut first) {
                head(&mut page, name, kind, unit, help);
            }
            let full = format!("{name}{}", kind.suffix());
            for (own, figure) in &series {
                let labels: Vec<(&str, &str)> = labels.iter().chain(own).copied().collect();
                sample(&mut page, &full, &labels, *figure);
            }
        }
    }
    if dialect == Dialect::OpenMetrics {
        page.text.push_str("# EOF\n");
    }
    output.write_all(page.text.as_bytes())
}

fn head(page: &mut Page, name: &str, kind: MetricKind, unit: &str, help: &str) {
    let (word, text) = (kind.word(), &mut page.text);
    let _ = match page.dialect {
        Dialect::OpenMetrics if unit.is_empty() => writeln!(text, "# TYPE {name} {word}\n# HELP {name} {help}"),
        Dialect::OpenMetrics => writeln!(text, "# TYPE {name} {word}\n# UNIT {name} {unit}\n# HELP {name} {help}"),
        Dialect::Plain => {
            let suffix = kind.suffix();
            writeln!(text, "# HELP {name}{suffix} {help}\n# TYPE {name}{suffix} {word}")
        }
    };
}

fn sample(page: &mut Page, name: &str, labels: &[(&str, &str)], figure: f64) {
    let text = &mut page.text;
    text.push_str(name);
    for (index, (key, value)) in labels.iter().enumerate() {
        let _ = write!(text, "{}{key}=\"{}\"", if index == 0 { '{' } else { ',' }, escaped(value));
    }
    let _ = writeln!(text, "{} {figure}", if labels.is_empty() { "" } else { "}" });
}

/// The three characters that a label value escapes.
fn escaped(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}
