//! `[shortage]`: what the runtime may cancel when memory runs short, and which methods get probes for it.

pub(super) mod document;
mod settings;

use document::{CandidateOrder, Candidates, How};
use toml::Spanned;
use weighbridge_contract::{Values, runtime_option};

use crate::reader::{Reader, Texts};
use crate::{MethodPatterns, Pattern, PatternSet, Result};

/// System code, unless the file says otherwise.
fn system_patterns() -> &'static str {
    let Values::Text(patterns) = runtime_option("shortage_fixed").values else { unreachable!("it takes texts") };
    patterns
}

/// A probe packs the indices of three lists into one number, with ten bits each.
const MOST_METHODS: usize = 1000;

/// `[shortage]`, as far as it is not the runtime's alone ([`crate::Config::runtime_settings`]).
#[derive(Clone, Debug)]
pub struct ShortageConfig {
    /// `dry_run`: the runtime decides, and does nothing.
    pub dry_run: bool,
    /// `checkpoints`: methods that ask at their entry and in their loops whether they are cancelled.
    pub checkpoints: MethodPatterns,
    /// `retry`: methods that may run again from their start.
    pub retry: MethodPatterns,
    /// `permit.methods`: threads that execute one of these may be cancelled.
    pub permit: MethodPatterns,
    /// `admit.methods`: methods that wait at their entry while memory is short.
    pub admit: MethodPatterns,
    /// `cancel.fixed`: classes whose frames are system code.
    pub fixed: PatternSet,
    /// `cancel.force`: threads are stopped wherever they are.
    pub force: bool,
    /// `when.exhausted`: an `OutOfMemoryError` that is about to be thrown is a shortage.
    pub exhausted: bool,
    /// `candidates.analyser`: the path of the program that finds out exactly who holds the memory.
    pub analyser: Option<String>,
}

impl ShortageConfig {
    /// The lists of methods that get probes.
    fn methods(&self) -> [&MethodPatterns; 4] {
        [&self.checkpoints, &self.retry, &self.permit, &self.admit]
    }

    /// True if no method gets a probe.
    pub fn has_no_methods(&self) -> bool {
        self.methods().iter().all(|methods| methods.is_empty())
    }

    /// True if a method of the class with this internal name may get a probe. Few classes pass this quick test.
    pub fn may_match(&self, class: &[u8]) -> bool {
        self.methods().iter().any(|methods| methods.may_match(class))
    }
}

impl Reader<'_> {
    pub(super) fn shortage(&self, given: &document::ShortageSection) -> Result<ShortageConfig> {
        self.exact(&given.candidates)?;
        Ok(ShortageConfig {
            dry_run: given.dry_run.unwrap_or(true),
            checkpoints: self.methods("checkpoints", &given.checkpoints)?,
            retry: self.methods("retry", &given.retry)?,
            permit: self.methods("permit.methods", &given.permit.methods)?,
            admit: self.methods("admit.methods", &given.admit.methods)?,
            fixed: match &given.cancel.fixed {
                Some(fixed) => self.patterns(fixed)?,
                None => PatternSet::new(system_patterns().split(';').map(Pattern::parse).collect::<Result<_>>()?),
            },
            force: given.cancel.force.unwrap_or(false),
            exhausted: given.when.exhausted.unwrap_or(true),
            analyser: given.candidates.analyser.as_ref().map(|path| self.analyser(path)).transpose()?,
        })
    }

    fn methods(&self, key: &str, texts: &Texts) -> Result<MethodPatterns> {
        if let Some(first_too_many) = texts.get(MOST_METHODS) {
            let message = format!("`{key}` has at most {MOST_METHODS} patterns");
            return Err(self.fault(first_too_many.span(), &message));
        }
        texts.iter().map(|text| self.method(text)).collect::<Result<_>>().map(MethodPatterns::new)
    }

    /// What needs an exact measurement, and what that needs.
    fn exact(&self, candidates: &Candidates) -> Result<()> {
        let is_exact = candidates.measure.as_ref().is_some_and(|measure| *measure.get_ref() == How::Exact);
        match (&candidates.by, &candidates.measure, &candidates.analyser) {
            (Some(by), ..)
                if matches!(by.get_ref(), CandidateOrder::Proprietary | CandidateOrder::Releasable) && !is_exact =>
            {
                Err(self.fault(by.span(), "this order needs `measure = \"exact\"`"))
            }
            (_, Some(measure), None) if is_exact => {
                let message = "`exact` needs `analyser`, the absolute path of the program weighbridge";
                Err(self.fault(measure.span(), message))
            }
            _ => Ok(()),
        }
    }

    fn analyser(&self, path: &Spanned<String>) -> Result<String> {
        let text = path.get_ref();
        if !text.starts_with('/') || text.contains(char::is_control) {
            let message = format!("`{}` is no absolute path", text.escape_debug());
            return Err(self.fault(path.span(), &message));
        }
        Ok(text.clone())
    }
}
