//! Coverage in the forms that other tools read.
//!
//! Both tell lines and methods. Instructions and branches are not counted: JaCoCo's XML wants instructions of a line, and gets
//! the instructions at which the line begins instead.

use std::collections::BTreeMap;
use std::io::{self, Write};

use super::run::{CoveredClass, Run};
use super::sheet::of_class;
use weighbridge_table::page::escaped;

impl Run {
    /// Writes a tracefile of LCOV (geninfo(1), "Files").
    pub fn lcov(&self, output: &mut impl Write) -> io::Result<()> {
        for (source, classes) in self.by_source() {
            writeln!(output, "TN:{}\nSF:{source}", self.name)?;
            let methods = || classes.iter().flat_map(|class| class.methods.iter().map(move |method| (class, method)));
            for (class, method) in methods() {
                let title = format!("{}.{}{}", class.class, method.method, method.descriptor);
                if let Some(line) = method.line {
                    writeln!(output, "FN:{line},{title}")?;
                }
                writeln!(output, "FNDA:{},{title}", u8::from(method.entered))?;
            }
            let entered = methods().filter(|(_, method)| method.entered).count();
            writeln!(output, "FNF:{}\nFNH:{entered}", methods().count())?;
            let mut lines: BTreeMap<u64, bool> = BTreeMap::new();
            for line in methods().flat_map(|(_, method)| &method.lines) {
                *lines.entry(line.line).or_default() |= line.reached > 0;
            }
            for (line, reached) in &lines {
                writeln!(output, "DA:{line},{}", u8::from(*reached))?;
            }
            let reached = lines.values().filter(|reached| **reached).count();
            writeln!(output, "LF:{}\nLH:{reached}\nend_of_record", lines.len())?;
        }
        Ok(())
    }

    /// Writes a report in the XML form of JaCoCo (its `report.dtd`, version 1.1).
    pub fn jacoco(&self, output: &mut impl Write) -> io::Result<()> {
        writeln!(
            output,
            "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n\
             <!DOCTYPE report PUBLIC \"-//JACOCO//DTD Report 1.1//EN\" \"report.dtd\">\n\
             <report name=\"{}\">",
            escaped(&self.name)
        )?;
        let mut packages: BTreeMap<String, Vec<&CoveredClass>> = BTreeMap::new();
        for class in self.classes() {
            packages.entry(package(class)).or_default().push(class);
        }
        for (package, classes) in &packages {
            writeln!(output, "<package name=\"{}\">", escaped(package))?;
            for class in classes {
                write_class(class, output)?;
            }
            let mut sources: BTreeMap<&str, BTreeMap<u64, (u64, u64)>> = BTreeMap::new();
            for class in classes {
                let Some(source) = class.source.as_deref() else { continue };
                let lines = sources.entry(source).or_default();
                for line in class.methods.iter().flat_map(|method| &method.lines) {
                    let (all, reached) = lines.entry(line.line).or_default();
                    *all += line.sites;
                    *reached += line.reached;
                }
            }
            for (source, lines) in &sources {
                writeln!(output, "<sourcefile name=\"{}\">", escaped(source))?;
                for (line, (all, reached)) in lines {
                    writeln!(
                        output,
                        "<line nr=\"{line}\" mi=\"{}\" ci=\"{reached}\" mb=\"0\" cb=\"0\"/>",
                        all - reached
                    )?;
                }
                let covered = lines.values().filter(|(_, reached)| *reached > 0).count() as u64;
                counter("LINE", covered, lines.len() as u64, output)?;
                writeln!(output, "</sourcefile>")?;
            }
            write_counters(classes, output)?;
            writeln!(output, "</package>")?;
        }
        write_counters(&self.classes().collect::<Vec<_>>(), output)?;
        writeln!(output, "</report>")
    }

    /// Classes by the path of their source below a source folder.
    fn by_source(&self) -> BTreeMap<String, Vec<&CoveredClass>> {
        let mut sources: BTreeMap<String, Vec<&CoveredClass>> = BTreeMap::new();
        for class in self.classes() {
            let Some(source) = &class.source else { continue };
            let package = package(class);
            let path = if package.is_empty() { source.clone() } else { format!("{package}/{source}") };
            sources.entry(path).or_default().push(class);
        }
        sources
    }
}

/// The package of a class, with slashes.
fn package(class: &CoveredClass) -> String {
    class.class.rsplit_once('.').map_or_else(String::new, |(package, _)| package.replace('.', "/"))
}

fn write_class(class: &CoveredClass, output: &mut impl Write) -> io::Result<()> {
    write!(output, "<class name=\"{}\"", escaped(&class.class.replace('.', "/")))?;
    if let Some(source) = &class.source {
        write!(output, " sourcefilename=\"{}\"", escaped(source))?;
    }
    writeln!(output, ">")?;
    for method in &class.methods {
        write!(output, "<method name=\"{}\" desc=\"{}\"", escaped(&method.method), escaped(&method.descriptor))?;
        if let Some(line) = method.line {
            write!(output, " line=\"{line}\"")?;
        }
        writeln!(output, ">")?;
        let reached = method.lines.iter().filter(|line| line.reached > 0).count() as u64;
        counter("LINE", reached, method.lines.len() as u64, output)?;
        counter("METHOD", u64::from(method.entered), 1, output)?;
        writeln!(output, "</method>")?;
    }
    write_counters(&[class], output)?;
    writeln!(output, "</class>")
}

fn write_counters(classes: &[&CoveredClass], output: &mut impl Write) -> io::Result<()> {
    let mut all = [0; 4];
    let mut entered_classes = 0;
    for class in classes {
        let of_class = of_class(class);
        entered_classes += u64::from(of_class[0] > 0);
        all.iter_mut().zip(of_class).for_each(|(sum, number)| *sum += number);
    }
    let [entered, methods, reached, lines] = all;
    counter("LINE", reached, lines, output)?;
    counter("METHOD", entered, methods, output)?;
    counter("CLASS", entered_classes, classes.len() as u64, output)
}

fn counter(kind: &str, covered: u64, all: u64, output: &mut impl Write) -> io::Result<()> {
    match all {
        0 => Ok(()),
        _ => writeln!(output, "<counter type=\"{kind}\" missed=\"{}\" covered=\"{covered}\"/>", all - covered),
    }
}
