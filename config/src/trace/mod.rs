//! A run of traces by probes: `[[trace]]` of the configuration, and what a client asks for (docs/traces.md).

pub(super) mod document;

use serde::{Deserialize, Serialize};
use toml::Spanned;
use weighbridge_contract::{TRACE_CALLS, TRACE_EVERY, TRACE_FRAMES, TraceKind, TraceSubject};

use crate::entries::merge_entries;
use crate::reader::Reader;
use crate::{EntryPoint, MethodPatterns, Pattern, PatternSet, Result, entry_names, ready_entries};

/// A run of traces. Its JSON are the arguments of `trace_start` (docs/control.md).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TraceRequest {
    /// By which `trace_show` and `trace_stop` find it.
    pub name: String,
    /// What is traced.
    pub what: Vec<TraceKind>,
    /// Patterns of class names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub classes: Vec<String>,
    /// Patterns of classes that are left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub except: Vec<String>,
    /// Patterns of methods, `com.acme.Report.render`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub methods: Vec<String>,
    /// Only while these scopes are open, `key=value`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scopes: Vec<String>,
    /// Methods at which scopes begin and end meanwhile.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub entries: Vec<EntryPoint>,
    /// Only threads whose names match.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread: Option<String>,
    /// After so many milliseconds it ends by itself; never if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub for_ms: Option<u64>,
    /// No stop of the program for it is meant to be longer; as the session's setting `pause` says if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pause_ms: Option<u64>,
    /// Of calls: only outermost ones that take so long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slower_ns: Option<u64>,
    /// Of calls: so many of the slowest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most: Option<u32>,
    /// Of calls: with the classes of their arguments.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub arguments: bool,
    /// Of objects: so many frames of each stack are kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frames: Option<u32>,
    /// Of samples: on average one each so many bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub every_bytes: Option<u32>,
    /// Percent of the program's CPU time that the trace may take; absent for no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_cpu: Option<f64>,
}

/// The classes and methods of a run.
#[derive(Clone, Debug, Default)]
pub struct TracePatterns {
    /// Classes all of whose methods, or whose objects, are traced.
    pub classes: PatternSet,
    /// Classes that are not.
    pub except: PatternSet,
    /// Methods.
    pub methods: MethodPatterns,
    /// The entries, those of the same methods in one.
    pub entries: Vec<EntryPoint>,
    /// Their methods.
    pub entry_methods: MethodPatterns,
    /// The index of the entry of each of these patterns.
    pub entry_of: Vec<usize>,
}

impl TraceRequest {
    /// Whether it makes sense, and its patterns.
    ///
    /// # Errors
    /// A sentence that says what does not.
    pub fn check(&self) -> std::result::Result<TracePatterns, String> {
        let may_be = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
        if self.name.is_empty() || self.name.len() > 64 || !self.name.bytes().all(may_be) {
            return Err("a run's name has 1 to 64 letters, digits, dots, dashes and underscores".to_owned());
        }
        if self.what.is_empty() {
            return Err("what is to be traced?".to_owned());
        }
        if self.what.contains(&TraceKind::Scopes) == self.entries.is_empty() {
            return Err("scopes are traced by entries, and entries are for the trace `scopes`".to_owned());
        }
        if let Some(fault) = self.entries.iter().find_map(EntryPoint::fault) {
            return Err(fault);
        }
        if self.what.iter().any(|what| what.has_patterns()) && self.classes.is_empty() && self.methods.is_empty() {
            return Err("a trace by probes needs classes or methods".to_owned());
        }
        let is_of_classes = |what: &TraceKind| what.form().subject == TraceSubject::Classes;
        if self.classes.is_empty() && self.what.iter().any(is_of_classes) {
            return Err(format!("{} are of classes, not of methods", kinds_that(is_of_classes)));
        }
        if let Some(scope) = self.scopes.iter().find(|scope| !scope.contains('=')) {
            return Err(format!("{scope}: a scope is KEY=VALUE"));
        }
        let is_of_all = |what: &TraceKind| !what.form().is_filtered;
        if self.what.iter().any(is_of_all) && (!self.scopes.is_empty() || self.thread.is_some()) {
            return Err(format!("{} are of all threads and scopes", kinds_that(is_of_all)));
        }
        if self.every_bytes.is_some_and(|every| !TRACE_EVERY.contain(every)) {
            return Err(format!("one sample in {} bytes is the most", TRACE_EVERY.least));
        }
        if self.max_cpu.is_some_and(|percent| !(percent > 0.0 && percent <= 100.0)) {
            return Err("max_cpu is a percentage above 0, of at most 100".to_owned());
        }
        if self.frames.is_some_and(|frames| !TRACE_FRAMES.contain(frames)) {
            return Err(format!("frames are {} to {}", TRACE_FRAMES.least, TRACE_FRAMES.most));
        }
        if self.most.is_some_and(|most| !TRACE_CALLS.contain(most)) {
            return Err(format!("calls that are kept are {} to {}", TRACE_CALLS.least, TRACE_CALLS.most));
        }
        let patterns = || -> Result<TracePatterns> {
            let set = |texts: &[String]| texts.iter().map(|text| Pattern::parse(text)).collect::<Result<_>>();
            let entries = merge_entries(&self.entries);
            let methods: Vec<String> = entries.iter().flat_map(|entry| entry.methods.clone()).collect();
            let of_entry = |(index, entry): (usize, &EntryPoint)| vec![index; entry.methods.len()];
            Ok(TracePatterns {
                entry_methods: MethodPatterns::read(&methods)?,
                entry_of: entries.iter().enumerate().flat_map(of_entry).collect(),
                entries,
                classes: PatternSet::new(set(&self.classes)?),
                except: PatternSet::new(set(&self.except)?),
                methods: MethodPatterns::read(&self.methods)?,
            })
        };
        patterns().map_err(|error| error.to_string())
    }
}

/// The words of the kinds of traces that are so, as `a, b and c`.
fn kinds_that(is_so: impl Fn(&TraceKind) -> bool) -> String {
    let words: Vec<&str> = TraceKind::ALL.iter().filter(|kind| is_so(kind)).map(|kind| kind.word()).collect();
    let (last, others) = words.split_last().unwrap_or((&"none", &[]));
    if others.is_empty() { (*last).to_owned() } else { format!("{} and {last}", others.join(", ")) }
}

impl Reader<'_> {
    pub(super) fn traces(&self, given: &[Spanned<document::TraceEntry>]) -> Result<Vec<TraceRequest>> {
        let mut traces: Vec<TraceRequest> = Vec::new();
        for entry in given {
            let trace = self.trace(entry.get_ref())?;
            trace.check().map_err(|message| self.fault(entry.span(), &message))?;
            if traces.iter().any(|other| other.name == trace.name) {
                return Err(self.fault(entry.get_ref().name.span(), "another trace has this name"));
            }
            traces.push(trace);
        }
        Ok(traces)
    }

    fn trace(&self, given: &document::TraceEntry) -> Result<TraceRequest> {
        let texts = |texts: &[Spanned<String>]| texts.iter().map(|text| text.get_ref().clone()).collect();
        // Here, because their faults have the position of the pattern itself.
        self.patterns(&given.classes)?;
        self.patterns(&given.except)?;
        given.methods.iter().try_for_each(|method| self.method(method).map(drop))?;
        let mut entries = Vec::new();
        for name in &given.entries {
            let known = ready_entries(name.get_ref()).ok_or_else(|| {
                let all: Vec<&str> = entry_names().collect();
                self.fault(name.span(), &format!("no entries have this name; there are {}", all.join(", ")))
            })?;
            entries.extend(known);
        }
        let number = |number: u128| u64::try_from(number).unwrap_or(u64::MAX);
        Ok(TraceRequest {
            name: given.name.get_ref().clone(),
            what: given.what.clone(),
            classes: texts(&given.classes),
            except: texts(&given.except),
            methods: texts(&given.methods),
            scopes: texts(&given.scopes),
            entries,
            thread: given.thread.clone(),
            for_ms: self.span(&given.r#for)?.map(|span| number(span.as_millis())),
            pause_ms: None,
            slower_ns: self.span(&given.slower)?.map(|span| number(span.as_nanos())),
            most: given.most,
            arguments: given.arguments,
            frames: given.frames,
            every_bytes: given
                .every
                .as_ref()
                .map(|every| self.bytes(every))
                .transpose()?
                .map(|bytes| u32::try_from(bytes).unwrap_or(u32::MAX)),
            max_cpu: given.max_cpu,
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::Config;

    fn fault(entry: &str) -> String {
        Config::parse(&format!("version = 1\n[[trace]]\n{entry}")).expect_err(entry).to_string()
    }

    #[test]
    fn a_trace_is_read() {
        let config = Config::parse(
            "version = 1\n[[trace]]\nname = \"a\"\nwhat = [\"methods\", \"calls\"]\nclasses = [\"com.acme.**\"]\n\
             methods = [\"a.B.c\"]\nfor = \"10m\"\nslower = \"5ms\"\nscopes = [\"user=anna\"]\nmax_cpu = 2.5\n",
        )
        .unwrap();
        let [trace] = config.traces.as_slice() else { panic!("{config:?}") };
        assert_eq!((trace.for_ms, trace.slower_ns, trace.max_cpu), (Some(600_000), Some(5_000_000), Some(2.5)));
        let patterns = trace.check().unwrap();
        assert!(patterns.classes.matches(b"com/acme/X") && patterns.methods.may_match(b"a/B"));
    }

    #[test]
    fn what_is_wrong_has_its_position() {
        let name = "name = \"a\"\nwhat = [\"methods\"]\n";
        for (entry, words) in [
            ("what = []\n", "missing field `name`"),
            ("name = \"a b\"\nwhat = [\"methods\"]\nclasses = [\"a.B\"]", "a run's name"),
            ("name = \"a\"\nwhat = [\"flying\"]\n", "flying"),
            ("name = \"a\"\nwhat = []\nclasses = [\"a.B\"]", "what is to be traced?"),
            (name, "needs classes or methods"),
            (&format!("{name}classes = [\"a..B\"]"), "a..B"),
            (&format!("{name}methods = [\"render\"]"), "write the class, a dot"),
            (&format!("{name}classes = [\"a.B\"]\nfor = \"1 day\""), "1 day"),
            (&format!("{name}classes = [\"a.B\"]\nmax_cpu = 0.0"), "max_cpu"),
            (&format!("{name}classes = [\"a.B\"]\n[[trace]]\n{name}classes = [\"a.B\"]"), "another trace"),
        ] {
            let said = fault(entry);
            assert!(said.contains(words) && said.starts_with("line "), "{entry}: {said}");
        }
    }
}
