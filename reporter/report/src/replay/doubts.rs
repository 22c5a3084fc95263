//! What limits the figures of a replay, in sentences.

use weighbridge_replay::{Replayed, Sum, Trace};

use weighbridge_table::units::{bytes, count_with_noun};

pub(super) fn sentences(trace: &Trace, replayed: &Replayed, met: Sum) -> Vec<String> {
    let mut doubts = Vec::new();
    if let Some(reason) = trace.incomplete() {
        doubts.push(format!(
            "The trace was cut short ({reason}): figures are those of the run up to there, and \"at the end\" means there. \
             Fields that were read are not known."
        ));
    }
    if !trace.names().vm.unique_numbers {
        doubts.push(
            "Objects are numbered by hash codes that others may have, too: an object that no probe saw being made may be \
             taken for another one. `weighbridge run --every-event` starts the JVM so that they are unique."
                .to_owned(),
        );
    }
    let objects = |sum: Sum| format!("{} ({})", count_with_noun(sum.objects, "object", "objects"), bytes(sum.bytes));
    if replayed.existed.objects > 0 {
        doubts.push(format!(
            "{} existed before the trace. They are live from the event that names them first, and count in no life span. \
             Older objects that no event names are in no figure.",
            objects(replayed.existed)
        ));
    }
    if met.objects > 0 {
        doubts.push(format!(
            "{} were only met: no probe saw them being made (by native code, or by code without probes). They count as \
             allocated by the event that names them first, which is late, and have no site.",
            objects(met)
        ));
    }
    if replayed.unknown > 0 {
        doubts.push(format!(
            "{} named an object that the trace does not introduce; these objects are in no figure, and what they alone \
             refer to may die too early here.",
            count_with_noun(replayed.unknown, "event", "events")
        ));
    }
    if replayed.twice > 0 {
        doubts.push(format!(
            "{} of an object that was known already; the first one counts.",
            count_with_noun(replayed.twice, "event tells of the birth", "events tell of the birth")
        ));
    }
    if replayed.revived > 0 {
        doubts.push(format!(
            "{} used after no reference to it was known: code without probes held it. Such a life is cut in two: live bytes are \
             too low between, and spans too short.",
            count_with_noun(replayed.revived, "object was", "objects were")
        ));
    }
    if !trace.names().skipped.is_empty() {
        doubts.push(format!(
            "{} no probes: what their code makes is met late, what it holds is known only as far as other code shows it.",
            count_with_noun(trace.names().skipped.len() as u64, "class has", "classes have")
        ));
    }
    doubts
}
