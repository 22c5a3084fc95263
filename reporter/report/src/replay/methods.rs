//! Methods by the names that a user gives.

use weighbridge_replay::Trace;

use super::settings::Error;

/// A name with other letters than this share is no suggestion.
const SIMILAR: f64 = 0.8;

/// The numbers of the methods with a name, such as `com.acme.Main.mark`; overloaded ones are several.
pub(super) fn find_methods(trace: &Trace, wanted: &str) -> Result<Vec<u32>, Error> {
    let methods = &trace.names().methods;
    let full = |method: &weighbridge_replay::ReplayMethod| format!("{}.{}", method.class, method.name);
    let found: Vec<u32> =
        methods.iter().filter(|(_, method)| full(method) == wanted).map(|(number, _)| *number).collect();
    if !found.is_empty() {
        return Ok(found);
    }
    let simple = |name: &str| name.rsplit(['.', '$']).next().unwrap_or(name).to_owned();
    let nearest = methods
        .values()
        .map(full)
        .map(|name| {
            // The method's name alone is a good hint, too: `mark` for `com.acme.Main.mark`.
            let similarity = strsim::jaro_winkler(wanted, &name);
            let ends = name.ends_with(&format!(".{wanted}"));
            (ends, simple(&name) == simple(wanted), similarity, name)
        })
        .max_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)).then(a.2.total_cmp(&b.2)).then_with(|| b.3.cmp(&a.3)))
        .filter(|(ends, same, similarity, _)| *ends || *same || *similarity >= SIMILAR)
        .map(|(.., name)| name);
    Err(Error::NoMethod { file: trace.file().to_owned(), method: wanted.to_owned(), nearest })
}
