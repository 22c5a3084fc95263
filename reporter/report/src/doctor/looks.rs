//! What a JVM says of itself, in the words of HotSpot's diagnostic commands (JDK 11 to 25).

use std::collections::HashMap;

use weighbridge_jfr::as_java_writes_it;

/// Objects and bytes by class: `GC.class_histogram`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Histogram(HashMap<String, (u64, u64)>);

/// One look at the heap.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Look {
    /// Live objects.
    pub classes: Histogram,
    /// Class loaders by the class of the loader.
    pub loaders: HashMap<String, u64>,
}

impl Histogram {
    /// Reads the command's answer; lines of other forms are left out.
    pub fn parse(text: &str) -> Self {
        let row = |line: &str| {
            let mut words = line.split_whitespace();
            words.next()?.strip_suffix(':')?.parse::<u64>().ok()?;
            let (objects, bytes): (u64, u64) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
            Some((as_java_writes_it(words.next()?), (objects, bytes)))
        };
        let mut classes: HashMap<String, (u64, u64)> = HashMap::new();
        // Classes of several loaders have the same name.
        for (name, (objects, bytes)) in text.lines().filter_map(row) {
            let sum = classes.entry(name).or_default();
            sum.0 += objects;
            sum.1 += bytes;
        }
        Histogram(classes)
    }

    /// Whether nothing was read.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Objects and bytes of a class.
    pub(super) fn class_totals(&self, class: &str) -> (u64, u64) {
        self.0.get(class).copied().unwrap_or_default()
    }

    /// All classes.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Bytes of all objects.
    pub(super) fn bytes(&self) -> u64 {
        self.0.values().map(|(_, bytes)| bytes).sum()
    }
}

/// Class loaders by their class: `VM.classloaders`, whose tree has a line for each loader, or for several of one class.
pub fn lists_loaders(text: &str) -> HashMap<String, u64> {
    let mut loaders: HashMap<String, u64> = HashMap::new();
    for line in text.lines() {
        let name = line.trim_start_matches(|c: char| !c.is_alphanumeric());
        // `+-- com.acme.Loader (+ 3 more)`, `+-- 'app', jdk.internal.loader...`, `+-- com.acme.Loader @1f32`.
        let more = name.split("(+ ").nth(1).and_then(|rest| rest.split(' ').next()?.parse::<u64>().ok());
        let class = name.split(['(', '{', '@']).next().unwrap_or_default().trim().trim_end_matches(',');
        let class = class.rsplit(", ").next().unwrap_or_default().trim_matches('\'');
        if class.contains('.') && !class.contains(' ') {
            *loaders.entry(class.to_owned()).or_default() += 1 + more.unwrap_or(0);
        }
    }
    loaders
}

/// The deadlocks of `Thread.print`: of each the lines that say who waits for whom.
pub fn locked(text: &str) -> Vec<Vec<String>> {
    let mut found: Vec<Vec<String>> = Vec::new();
    let mut within = false;
    for line in text.lines() {
        if line.starts_with("Found one Java-level deadlock") {
            found.push(Vec::new());
            within = true;
        } else if line.starts_with("Java stack information") || line.starts_with("Found ") {
            within = false;
        } else if within && !line.starts_with("====") && !line.trim().is_empty() {
            // A thread's name in quotes, then what it waits for, then who holds that.
            if let Some(last) = found.last_mut() {
                last.push(line.trim().to_owned());
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_histogram_is_read_whatever_the_jvm() {
        let text = " num     #instances         #bytes  class name (module)\n\
                    -------------------------------------------------------\n   1:         15130         838592  [B (java.base@17)\n   \
                    2:            12            288  com.acme.Order\n   3:             2             96  [[Lcom.acme.Order;\n   \
                    4:             1             24  com.acme.Order\nTotal         15145         839000\n";
        let histogram = Histogram::parse(text);
        assert_eq!(histogram.class_totals("byte[]"), (15130, 838_592));
        assert_eq!(histogram.class_totals("com.acme.Order"), (13, 312));
        assert_eq!(histogram.class_totals("com.acme.Order[][]"), (2, 96));
        assert_eq!(histogram.names().count(), 3);
    }

    #[test]
    fn loaders_are_counted_by_class() {
        let text = "4711:\n+-- <bootstrap>\n      |\n      +-- \"platform\", jdk.internal.loader.ClassLoaders$PlatformClassLoader\n\
                    |\n +-- \"app\", jdk.internal.loader.ClassLoaders$AppClassLoader\n            |\n            +-- \
                    com.acme.PluginLoader (+ 11 more)\n   +-- com.acme.Other @1f2\n";
        let loaders = lists_loaders(text);
        assert_eq!(loaders.get("com.acme.PluginLoader"), Some(&12));
        assert_eq!(loaders.get("com.acme.Other"), Some(&1));
    }

    #[test]
    fn a_deadlock_is_found_in_a_dump_of_threads() {
        let text = "\"a\" #1\n\nFound one Java-level deadlock:\n=============================\n\"a\":\n  waiting to lock monitor \
                    0x1 (object 0x2, a java.lang.Object),\n  which is held by \"b\"\n\nJava stack information for the threads listed \
                    above:\n===\n\"a\":\n\tat X.y\n\nFound 1 deadlock.\n";
        assert_eq!(
            locked(text),
            [["\"a\":", "waiting to lock monitor 0x1 (object 0x2, a java.lang.Object),", "which is held by \"b\""]]
        );
        assert!(locked("\"main\" #1 RUNNABLE\n").is_empty());
    }
}
