//! The runtime options that the file sets, as the runtime reads them (docs/configuration.md, "Runtime options").

use serde::Serialize;
use toml::Spanned;
use weighbridge_contract::{MOST_AGES, MOST_DIGITS, Values, runtime_option};

use crate::document::{ConfigDocument, Peak};
use crate::reader::{Reader, Texts};
use crate::{Pattern, PatternSet, Result, Schedule, default_hubs, format_duration, parse_pause};

/// Keys and values, in the order of the documentation.
pub(super) type Settings = Vec<(&'static str, String)>;

/// An enum's variant as the configuration writes it.
pub(super) fn word(variant: impl Serialize) -> Option<String> {
    toml::Value::try_from(variant).ok()?.as_str().map(str::to_owned)
}

impl Reader<'_> {
    pub(super) fn settings(&self, document: &ConfigDocument) -> Result<Settings> {
        let ConfigDocument { measure, runtime, .. } = document;
        let mut settings = Vec::new();
        let mut set = |key, value: Option<String>| settings.extend(value.map(|value| (key, value)));
        let schedule = measure.at.as_ref().map(|at| self.schedule(at)).transpose()?;
        let exit = schedule.as_ref().map(|schedule| schedule.exit);
        set("enabled", runtime.enabled.map(|yes| yes.to_string()));
        set("destfile", self.path("destfile", &runtime.destfile)?);
        set("dumponexit", runtime.dumponexit.or(exit).map(|yes| yes.to_string()));
        set("interval", schedule.and_then(|schedule| schedule.every).map(format_duration));
        set("sessionid", runtime.sessionid.clone());
        set("output", runtime.output.and_then(word));
        set("jmx", runtime.jmx.map(|yes| yes.to_string()));
        set("references", self.number("references", "references", &measure.budget.references)?);
        set("cpu_percent", self.number("cpu_percent", "cpu_percent", &measure.budget.cpu_percent)?);
        set("pause", self.pause(&measure.pause)?);
        set("gc", measure.gc.and_then(word));
        set("soft", measure.soft.map(|yes| yes.to_string()));
        let exclude = self.patterns(&measure.exclude)?;
        let exclude: Vec<&str> = exclude.patterns().iter().map(Pattern::text).collect();
        set("exclude", (!exclude.is_empty()).then(|| exclude.join(";")));
        set("hubs", Some(self.hubs(measure.hubs, &measure.stop)?));
        set("holders", measure.holders.map(|yes| yes.to_string()));
        set("walk_memory", self.size(&measure.walk.memory)?);
        set("ages", self.ages(&measure.ages)?);
        set("threads", self.threads(&measure.threads)?);
        set("sites", self.number("sites", "sites", &measure.sites)?);
        if let Some(peak) = &measure.peak {
            settings.extend(self.peak(peak)?);
        }
        if let Some(shortage) = &document.shortage {
            settings.extend(self.shortage_settings(shortage)?);
        }
        Ok(settings)
    }

    /// Always set: the shipped rules belong to the configuration, not to the runtime.
    fn hubs(&self, shipped: Option<bool>, stop: &Texts) -> Result<String> {
        let shipped = if shipped.unwrap_or(true) { default_hubs() } else { PatternSet::default() };
        let own = self.patterns(stop)?;
        let texts: Vec<&str> = shipped.patterns().iter().chain(own.patterns()).map(Pattern::text).collect();
        Ok(if texts.is_empty() { "none".to_owned() } else { texts.join(";") })
    }

    fn peak(&self, peak: &Peak) -> Result<Settings> {
        let mut settings = Vec::new();
        let mut set = |key, value: Option<String>| settings.extend(value.map(|value| (key, value)));
        set("peak", word(peak.mode));
        set("peak_source", peak.source.and_then(word));
        set("peak_tolerance", self.size(&peak.tolerance)?);
        set("peak_floor", self.size(&peak.floor)?);
        set("peak_interval", self.duration(&peak.interval)?);
        set("peak_dump", self.path("dump", &peak.dump)?);
        set("peak_dumps", self.number("peak_dumps", "dumps", &peak.dumps)?);
        set("peak_dump_growth", self.number("peak_dump_growth", "dump_growth", &peak.dump_growth)?);
        Ok(settings)
    }

    fn path(&self, key: &str, path: &Option<Spanned<String>>) -> Result<Option<String>> {
        let Some(path) = path else { return Ok(None) };
        if path.get_ref().is_empty() {
            return Err(self.fault(path.span(), &format!("`{key}` names no file")));
        }
        Ok(Some(path.get_ref().clone()))
    }

    fn size(&self, size: &Option<Spanned<String>>) -> Result<Option<String>> {
        let Some(size) = size else { return Ok(None) };
        self.bytes(size)?;
        Ok(Some(size.get_ref().clone()))
    }

    /// The bytes of a size, written as the JVM's own options write it.
    pub(super) fn bytes(&self, size: &Spanned<String>) -> Result<i64> {
        parse_size(size.get_ref()).map_err(|message| self.fault(size.span(), &message))
    }

    /// A budget of pauses.
    fn pause(&self, text: &Option<Spanned<String>>) -> Result<Option<String>> {
        let Some(text) = text else { return Ok(None) };
        let pause = parse_pause(text.get_ref()).map_err(|message| self.fault(text.span(), &message))?;
        Ok(Some(format_duration(pause)))
    }

    pub(super) fn duration(&self, duration: &Option<Spanned<String>>) -> Result<Option<String>> {
        Ok(self.span(duration)?.map(format_duration))
    }

    fn ages(&self, ages: &Option<Spanned<Vec<i32>>>) -> Result<Option<String>> {
        let Some(ages) = ages else { return Ok(None) };
        let bounds = ages.get_ref();
        let rising = bounds.windows(2).all(|pair| pair[0] < pair[1]);
        if bounds.first() != Some(&0) || !rising || bounds.len() > MOST_AGES {
            let message = format!("`ages` must rise from 0, in at most {MOST_AGES} bounds");
            return Err(self.fault(ages.span(), &message));
        }
        Ok(Some(bounds.iter().map(i32::to_string).collect::<Vec<_>>().join(";")))
    }

    pub(super) fn threads(&self, threads: &Texts) -> Result<Option<String>> {
        for pattern in threads {
            let text = pattern.get_ref();
            if text.is_empty() || text.contains([';', ',']) || text.contains(char::is_control) {
                let message = format!("`{}` is no pattern of thread names", text.escape_debug());
                return Err(self.fault(pattern.span(), &message));
            }
        }
        let texts: Vec<&str> = threads.iter().map(|pattern| pattern.get_ref().as_str()).collect();
        Ok((!texts.is_empty()).then(|| texts.join(";")))
    }

    fn schedule(&self, at: &Texts) -> Result<Schedule> {
        let mut schedule = Schedule::default();
        for moment in at {
            schedule.add(moment.get_ref()).map_err(|message| self.fault(moment.span(), &message))?;
        }
        Ok(schedule)
    }

    /// The number of a key of the file, within the limits of an option.
    pub(super) fn number(&self, option: &str, key: &str, value: &Option<Spanned<i64>>) -> Result<Option<String>> {
        let Some(value) = value else { return Ok(None) };
        let Values::Number { least, most, .. } = runtime_option(option).values else {
            unreachable!("{option} takes a number")
        };
        if !(i64::from(least)..=i64::from(most)).contains(value.get_ref()) {
            let message = format!("`{key}` must be from {least} to {most}, not {}", value.get_ref());
            return Err(self.fault(value.span(), &message));
        }
        Ok(Some(value.get_ref().to_string()))
    }
}

/// Bytes as the JVM's own options write them: `1024`, `512k`, `64m` or `2g`.
///
/// # Errors
/// A sentence that says what a size is.
pub fn parse_size(text: &str) -> std::result::Result<i64, String> {
    let digits = text.trim_end_matches(|unit: char| !unit.is_ascii_digit());
    let unit = match &text[digits.len()..] {
        "" => Some(1),
        "k" | "K" => Some(1 << 10),
        "m" | "M" => Some(1 << 20),
        "g" | "G" => Some(1 << 30),
        _ => None,
    };
    let bytes = digits.parse::<i64>().ok().zip(unit).and_then(|(number, unit)| number.checked_mul(unit));
    bytes
        .filter(|_| digits.len() <= MOST_DIGITS && !digits.starts_with('-'))
        .ok_or_else(|| format!("`{}` is no size: `1024`, `512k`, `64m` or `2g`", text.escape_debug()))
}
