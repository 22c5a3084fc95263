//! What the runtime gets of `[shortage]` (docs/configuration.md, "Runtime options").

use toml::Spanned;

use super::document::ShortageSection;
use super::system_patterns;
use crate::reader::{Reader, Texts};
use crate::settings::{Settings, word};
use crate::{Result, format_duration, parse_duration};

impl Reader<'_> {
    pub(crate) fn shortage_settings(&self, given: &ShortageSection) -> Result<Settings> {
        let ShortageSection { when, candidates, permit, cancel, admit, .. } = given;
        let mut settings = Vec::new();
        let mut set = |key, value: Option<String>| settings.extend(value.map(|value| (key, value)));
        set("shortage", Some(if given.dry_run.unwrap_or(true) { "observe" } else { "act" }.to_owned()));
        set("shortage_old_generation", or_off(&when.old_generation, |text| self.percent(text))?);
        set("shortage_allocation", or_off(&when.allocation, |rate| Ok(self.bytes(rate)?.to_string()))?);
        set("shortage_container", or_off(&when.container, |text| self.percent(text))?);
        set("shortage_exhausted", when.exhausted.map(|yes| yes.to_string()));
        set("shortage_by", candidates.by.as_ref().and_then(|by| word(by.get_ref())));
        set("shortage_measure", candidates.measure.as_ref().and_then(|measure| word(measure.get_ref())));
        set("shortage_analyser", candidates.analyser.as_ref().map(|path| path.get_ref().clone()));
        set("shortage_least", candidates.least.as_ref().map(|least| self.least(least)).transpose()?);
        set("shortage_frame", candidates.frame.and_then(word));
        set("shortage_threads", self.threads(&permit.threads)?);
        set("shortage_scopes", self.scopes(&permit.scopes)?);
        set("shortage_methods", join_texts(&permit.methods));
        set("shortage_interrupt", cancel.interrupt.map(|yes| yes.to_string()));
        set("shortage_force", cancel.force.map(|yes| yes.to_string()));
        // Always set, as hubs are: the runtime has no list of its own.
        let fixed = cancel.fixed.as_ref().map_or_else(|| Some(system_patterns().to_owned()), join_texts);
        set("shortage_fixed", Some(fixed.unwrap_or_else(|| "none".to_owned())));
        set("shortage_wait", self.duration(&cancel.wait)?);
        set("shortage_per_minute", self.number("shortage_per_minute", "per_minute", &cancel.per_minute)?);
        set("shortage_retry", join_texts(&given.retry));
        set("shortage_admit", join_texts(&admit.methods));
        set("shortage_admit_wait", admit.wait.as_ref().map(|wait| self.wait(wait)).transpose()?);
        Ok(settings)
    }

    /// The number of `90%`.
    fn percent(&self, text: &Spanned<String>) -> Result<String> {
        let number = text.get_ref().strip_suffix('%').and_then(|number| number.parse::<u8>().ok());
        match number.filter(|number| (1..=99).contains(number)) {
            Some(number) => Ok(number.to_string()),
            None => {
                let message = format!("`{}` is no percentage: `1%` to `99%`", text.get_ref().escape_debug());
                Err(self.fault(text.span(), &message))
            }
        }
    }

    fn least(&self, least: &Spanned<String>) -> Result<String> {
        match least.get_ref().ends_with('%') {
            true => Ok(self.percent(least)? + "%"),
            false => Ok(self.bytes(least)?.to_string()),
        }
    }

    fn scopes(&self, scopes: &Texts) -> Result<Option<String>> {
        for scope in scopes {
            let text = scope.get_ref();
            let has_key = text.find('=').is_some_and(|equals| equals > 0);
            if !has_key || text.contains([';', ',']) || text.contains(char::is_control) {
                let message = format!("`{}` is no scope: `key=value`", text.escape_debug());
                return Err(self.fault(scope.span(), &message));
            }
        }
        Ok(join_texts(scopes))
    }

    /// A duration that may be 0.
    fn wait(&self, wait: &Spanned<String>) -> Result<String> {
        let text = wait.get_ref();
        if text == "0s" {
            return Ok(text.clone());
        }
        parse_duration(text).map(format_duration).map_err(|message| self.fault(wait.span(), &message))
    }
}

/// The value of a key that can be switched off.
fn or_off(
    given: &Option<Spanned<String>>,
    value: impl Fn(&Spanned<String>) -> Result<String>,
) -> Result<Option<String>> {
    let Some(given) = given else { return Ok(None) };
    if given.get_ref() == "off" { Ok(Some("off".to_owned())) } else { value(given).map(Some) }
}

fn join_texts(texts: &Texts) -> Option<String> {
    let texts: Vec<&str> = texts.iter().map(|text| text.get_ref().as_str()).collect();
    (!texts.is_empty()).then(|| texts.join(";"))
}
