//! Programs that construct their first objects where the stack ends, so that each step of a probe fails once.

use weighbridge_tests::{at_once, jdks};

use crate::programs::{Programs, counted, rows};

/// How long the program waits until a trace of the configuration has begun.
const FOR_A_TRACE: &str = "1500";

#[test]
fn what_a_probe_uses_first_where_the_stack_ends_works_afterwards() {
    let programs = Programs::new("loading", &[]);
    let include = "[instrument]\ninclude = [\"com.acme.loading.Deep$*\"]\n";
    let work = "[shortage]\ncheckpoints = [\"com.acme.**.*\"]\nretry = [\"com.acme.**.*\"]\n\
        permit.methods = [\"com.acme.**.*\"]\nadmit.methods = [\"com.acme.**.*\"]\n";
    let trace = "[[trace]]\nname = \"all\"\nwhat = [\"methods\", \"objects\", \"uses\"]\nclasses = [\"com.acme.**\"]\n";
    at_once(jdks(), |jdk| {
        for (more, options, wait) in [("", "", "0"), ("", ",sites=8", "0"), (work, "", "0"), (trace, "", FOR_A_TRACE)] {
            let context = format!("Java {} {more}{options}", jdk.version);
            let config = format!("{include}{more}");
            let (output, report) = programs.measure(jdk, &config, options, &["com.acme.loading.Deep", wait]);
            let said: Vec<u64> = output.stdout.split_whitespace().filter_map(|word| word.parse().ok()).collect();
            let [deep, 2000, 1] = said[..] else { panic!("{context}: {output}") };
            let made: u64 = rows(&report)
                .iter()
                .map(counted)
                .filter(|(class, _)| class.ends_with("$Item") || class.ends_with("$Below"))
                .map(|(_, count)| count)
                .sum();
            // Where there is no stack for a probe, nothing can be counted.
            assert!(made >= 2000 + deep * 9 / 10 && made <= 2000 + deep, "{context}: {made}: {output} {report:#}");
        }
    });
}
