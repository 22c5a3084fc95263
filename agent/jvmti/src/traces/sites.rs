//! The probe sites of a trace: what the numbers in its probes stand for.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use serde_json::{Map, Value, json};
use weighbridge_bytecode::Result;
use weighbridge_bytecode::read::{ClassFile, mutf8};
use weighbridge_config::TraceKind;
use weighbridge_contract::PROBE_BITS;
use weighbridge_probes::table::dotted;

/// Probe sites that one trace can have: what is left of a number beside that of the trace.
const MOST: u32 = 1 << PROBE_BITS;
/// Classes without probes that are listed by name.
const LISTED: usize = 100;

/// A class with its probe sites.
#[derive(Debug)]
struct ProbedClass {
    name: String,
    source: Option<String>,
    sites: Range<u32>,
    /// In the order of the class file; none if the class itself is the site.
    methods: Vec<ProbedMethod>,
    /// Of coverage: the line that begins at each site; 0 for none.
    lines: Vec<u16>,
}

/// A method of a class.
#[derive(Debug)]
struct ProbedMethod {
    name: String,
    descriptor: String,
    /// The first line of its code.
    line: Option<u16>,
    /// Of coverage: its sites.
    sites: Range<u32>,
}

/// All probe sites of a trace.
#[derive(Debug, Default)]
pub(super) struct ProbeSites {
    /// In the order of their sites.
    classes: Vec<ProbedClass>,
    /// By loader and internal name: an index of `classes`, or none if the class has no probes.
    known: HashMap<(usize, Box<[u8]>), Option<usize>>,
    next: u32,
    skipped: Vec<(String, String)>,
    skips: usize,
}

impl ProbeSites {
    /// Whether a class was met.
    pub(super) fn has_met(&self, loader: usize, name: &[u8]) -> bool {
        self.known.contains_key(&(loader, name.into()))
    }

    /// The site of a class that is one.
    pub(super) fn find_class_number(&self, loader: usize, name: &[u8]) -> Option<u32> {
        let known = (*self.known.get(&(loader, name.into()))?)?;
        Some(self.classes[known].sites.start)
    }

    /// The first site of a class that has so many, and the same one if it is transformed again.
    pub(super) fn first(&self, loader: usize, name: &[u8], count: u32) -> Option<u32> {
        if let Some(Some(known)) = self.known.get(&(loader, name.into())) {
            let sites = &self.classes[*known].sites;
            if sites.len() as u32 == count {
                return Some(sites.start);
            }
        }
        (self.next + count <= MOST).then_some(self.next)
    }

    /// A class has got probes at these sites. `covered`: of coverage, the method and the line of each.
    pub(super) fn took(
        &mut self,
        loader: usize,
        class: &ClassFile<'_>,
        sites: Range<u32>,
        what: TraceKind,
        covered: &[(u16, u16)],
    ) -> Result<()> {
        let name = class.name()?;
        if sites.start < self.next {
            return Ok(());
        }
        let mut methods = Vec::new();
        if !matches!(what, TraceKind::Objects | TraceKind::Uses | TraceKind::Scopes) {
            let mut lines = Vec::new();
            let mut next = 0;
            for method in class.methods()? {
                let method = method?;
                if let Some(code) = method.code()? {
                    code.lines(&mut lines)?;
                }
                // They are in the order of the methods.
                let own = covered[next..].iter().take_while(|(of, _)| *of == method.index).count();
                let first = sites.start + next as u32;
                next += own;
                methods.push(ProbedMethod {
                    name: mutf8::decode(method.name()?).into_owned(),
                    descriptor: mutf8::decode(method.descriptor()?).into_owned(),
                    line: lines.iter().min().map(|&(_, line)| line),
                    sites: first..first + own as u32,
                });
                lines.clear();
            }
        }
        self.next = sites.end;
        self.known.insert((loader, name.into()), Some(self.classes.len()));
        self.classes.push(ProbedClass {
            name: dotted(name),
            source: class.source_file()?.map(|name| mutf8::decode(name).into_owned()),
            sites,
            methods,
            lines: covered.iter().map(|&(_, line)| line).collect(),
        });
        Ok(())
    }

    /// A class has no probes; `reason` if one might have expected some.
    pub(super) fn skip_class(&mut self, loader: usize, name: &[u8], reason: Option<String>) {
        if self.known.insert((loader, name.into()), None).is_some() {
            return;
        }
        if let Some(reason) = reason {
            self.skips += 1;
            if self.skips <= LISTED {
                self.skipped.push((dotted(name), reason));
            }
        }
    }

    /// The class that has a site.
    fn class(&self, site: u32) -> Option<&ProbedClass> {
        let after = self.classes.partition_point(|class| class.sites.start <= site);
        self.classes[..after].last().filter(|class| class.sites.contains(&site))
    }

    /// The name of the class that has a site.
    pub(super) fn class_name(&self, site: u32) -> Option<&str> {
        self.class(site).map(|class| class.name.as_str())
    }

    /// Gives names to the sites of what the runtime tells of a trace.
    pub(super) fn name(&self, what: TraceKind, trace: &mut Map<String, Value>) {
        trace.remove("number");
        match what {
            TraceKind::Methods => rows(trace.get_mut("methods")).for_each(|row| self.name_row(row)),
            TraceKind::Objects | TraceKind::Uses => rows(trace.get_mut("places")).for_each(|row| self.name_row(row)),
            TraceKind::Calls => rows(trace.get_mut("trees"))
                .for_each(|tree| rows(tree.get_mut("calls")).for_each(|row| self.name_row(row))),
            TraceKind::Scopes | TraceKind::References | TraceKind::Samples => {}
            TraceKind::Coverage => {
                let reached = trace.remove("reached");
                trace.insert("classes".to_owned(), self.coverage(&ranges(reached)));
            }
        }
        trace.insert("classes_with_probes".to_owned(), self.classes.len().into());
        if self.skips > 0 {
            trace.insert("classes_without".to_owned(), self.skips.into());
            let skipped = self.skipped.iter().map(|(name, reason)| json!({ "class": name, "reason": reason }));
            trace.insert("without".to_owned(), skipped.collect());
        }
    }

    fn name_row(&self, row: &mut Map<String, Value>) {
        let Some(site) = row.remove("id").and_then(|id| u32::try_from(id.as_u64()?).ok()) else { return };
        let Some(class) = self.class(site) else { return };
        row.insert("class".to_owned(), class.name.as_str().into());
        if let Some(method) = class.methods.get((site - class.sites.start) as usize) {
            row.insert("method".to_owned(), method.name.as_str().into());
            row.insert("descriptor".to_owned(), method.descriptor.as_str().into());
            if let Some(line) = method.line {
                row.insert("line".to_owned(), line.into());
            }
        }
    }

    /// All methods and lines of all classes with probes, and which were reached; `reached` is sorted.
    fn coverage(&self, reached: &[Range<u32>]) -> Value {
        let is_reached = |site: u32| {
            let after = reached.partition_point(|range| range.start <= site);
            after > 0 && reached[after - 1].contains(&site)
        };
        let of_class = |class: &ProbedClass| {
            let methods = class.methods.iter().filter(|method| !method.sites.is_empty()).map(|method| {
                let mut lines: BTreeMap<u16, [u32; 2]> = BTreeMap::new();
                for site in method.sites.clone() {
                    let line = class.lines[(site - class.sites.start) as usize];
                    let [all, reached] = lines.entry(line).or_default();
                    *all += 1;
                    *reached += u32::from(is_reached(site));
                }
                lines.remove(&0);
                let lines: Vec<Value> =
                    lines.into_iter().map(|(line, [all, reached])| json!([line, all, reached])).collect();
                json!({
                    "method": method.name,
                    "descriptor": method.descriptor,
                    "line": method.line,
                    "entered": is_reached(method.sites.start),
                    "lines": lines,
                })
            });
            json!({ "class": class.name, "source": class.source, "methods": methods.collect::<Vec<_>>() })
        };
        self.classes.iter().map(of_class).collect()
    }
}

fn rows(array: Option<&mut Value>) -> impl Iterator<Item = &mut Map<String, Value>> {
    array.and_then(Value::as_array_mut).into_iter().flatten().filter_map(Value::as_object_mut)
}

/// The runs of sites that were reached.
fn ranges(reached: Option<Value>) -> Vec<Range<u32>> {
    let number = |row: &Value, key: &str| row[key].as_u64().and_then(|number| u32::try_from(number).ok());
    let range = |row: &Value| {
        let from = number(row, "from")?;
        Some(from..from + number(row, "places")?)
    };
    reached.as_ref().and_then(Value::as_array).into_iter().flatten().filter_map(range).collect()
}
