//! Stacks with numbers, one a line: what flame-graph tools read (`flamegraph.pl`, speedscope).

use std::collections::BTreeMap;
use std::io::{self, Write};

use super::run::{OutermostCall, Run};

/// What the numbers are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Folded {
    /// Of `objects`: how many were made.
    Made,
    /// Of `objects`: their own bytes; of `samples` the estimated ones.
    Bytes,
    /// Of `objects`: those that were not found dead.
    Live,
    /// Of `objects`: the milliseconds that the dead ones lived, together.
    Life,
    /// Of `calls`: the nanoseconds that a call took beside those that it made, of the calls that were kept.
    Time,
}

impl Run {
    /// Writes the stacks; none if it has no such trace.
    pub fn folded(&self, by: Folded, output: &mut impl Write) -> io::Result<()> {
        let mut sums: BTreeMap<String, u64> = BTreeMap::new();
        for site in self.traces.iter().flat_map(|trace| trace.sites.iter().flatten()) {
            let value = match by {
                Folded::Made => site.made,
                Folded::Bytes => site.made.saturating_mul(site.bytes_each),
                Folded::Live => site.live,
                Folded::Life => site.lived_ms,
                Folded::Time => continue,
            };
            let frames = site.frames.iter().rev().map(String::as_str).chain([site.class.as_str()]);
            *sums.entry(frames.collect::<Vec<_>>().join(";")).or_default() += value;
        }
        if by == Folded::Bytes {
            for row in self.traces.iter().flat_map(|trace| trace.samples.iter().flatten()) {
                let frames = row.frames.iter().rev().map(String::as_str).chain([row.class.as_str()]);
                *sums.entry(frames.collect::<Vec<_>>().join(";")).or_default() += row.bytes;
            }
        }
        if by == Folded::Time {
            let trees = self.traces.iter().flat_map(|trace| trace.trees.iter().flatten());
            trees.for_each(|tree| own_times(tree, &mut sums));
        }
        for (stack, value) in sums.iter().filter(|(_, value)| **value > 0) {
            writeln!(output, "{stack} {value}")?;
        }
        Ok(())
    }
}

/// Adds the time of each call without those that it made.
fn own_times(tree: &OutermostCall, sums: &mut BTreeMap<String, u64>) {
    let mut stack: Vec<String> = Vec::new();
    for (at, call) in tree.calls.iter().enumerate() {
        stack.truncate(usize::try_from(call.level).unwrap_or(usize::MAX));
        stack.push(call.method.title());
        let below = tree.calls[at + 1..].iter().take_while(|other| other.level > call.level);
        let made: u64 = below.filter(|other| other.level == call.level + 1).map(|other| other.total_ns).sum();
        *sums.entry(stack.join(";")).or_default() += call.total_ns.saturating_sub(made);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folded(run: &str, by: Folded) -> String {
        let run: Run = serde_json::from_str(run).unwrap();
        let mut text = Vec::new();
        run.folded(by, &mut text).unwrap();
        String::from_utf8(text).unwrap()
    }

    const HEAD: &str = "{\"name\":\"a\",\"state\":\"ended\",\"since_ms\":0,\"lasted_ms\":1,\"of\":[],\"scopes\":[],\
                        \"probed\":{\"classes\":1,\"us\":1,\"longest_us\":1},\"traces\":";

    #[test]
    fn sites_are_stacks_from_the_outermost_call_to_the_class() {
        let site = "{\"place\":0,\"class\":\"a.Order\",\"frames\":[\"a.Shop.make:3\",\"a.Main.main:9\"],\"made\":5,\
                     \"bytes_each\":24,\"died\":2,\"live\":3,\"not_followed\":0,\"lived_ms\":70,\"longest_ms\":60,\"lives\":[]}";
        let run = format!("{HEAD}[{{\"what\":\"objects\",\"places\":[{site}]}}]}}");
        assert_eq!(folded(&run, Folded::Live), "a.Main.main:9;a.Shop.make:3;a.Order 3\n");
        assert_eq!(folded(&run, Folded::Bytes), "a.Main.main:9;a.Shop.make:3;a.Order 120\n");
        assert_eq!(folded(&run, Folded::Time), "");
    }

    #[test]
    fn a_call_has_its_time_without_those_that_it_made() {
        let call = |method: &str, level: u64, ns: u64| {
            format!(
                "{{\"class\":\"a.B\",\"method\":\"{method}\",\"descriptor\":\"()V\",\"level\":{level},\"after_ns\":0,\"total_ns\":{ns}}}"
            )
        };
        let calls = [call("outer", 0, 100), call("inner", 1, 60), call("deep", 2, 10), call("inner", 1, 20)].join(",");
        let tree = format!("{{\"thread\":\"main\",\"at_ms\":0,\"total_ns\":100,\"more\":0,\"calls\":[{calls}]}}");
        let run = format!("{HEAD}[{{\"what\":\"calls\",\"trees\":[{tree}]}}]}}");
        assert_eq!(
            folded(&run, Folded::Time),
            "a.B.outer 20\na.B.outer;a.B.inner 70\na.B.outer;a.B.inner;a.B.deep 10\n"
        );
    }
}
