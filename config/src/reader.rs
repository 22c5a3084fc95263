//! Checks what serde cannot check, while positions are known.

use std::ops::Range;
use std::time::Duration;

use toml::Spanned;

use crate::{ConfigErrorKind, Error, Pattern, PatternSet, Result, method, parse_duration, position};

/// Texts with their byte range.
pub(crate) type Texts = Vec<Spanned<String>>;

/// The text of a configuration, from which errors get their positions.
pub(crate) struct Reader<'a> {
    pub(crate) text: &'a str,
    /// Where each line starts.
    pub(crate) lines: Vec<usize>,
}

impl Reader<'_> {
    pub(crate) fn fault(&self, span: Range<usize>, message: &str) -> Error {
        position::fault(self.text, span, ConfigErrorKind::Config, message)
    }

    pub(crate) fn pattern(&self, pattern: &Spanned<String>) -> Result<Pattern> {
        let line = self.lines.partition_point(|&start| start <= pattern.span().start);
        Pattern::parse(pattern.get_ref())
            .map(|parsed| parsed.in_line(line))
            .map_err(|error| self.bad_pattern(pattern, &error))
    }

    /// A method pattern: its text, and the patterns of the class and of the method's name.
    pub(crate) fn method(&self, method: &Spanned<String>) -> Result<(String, Pattern, Pattern)> {
        let (class, name) = method::parse(method.get_ref()).map_err(|error| self.bad_pattern(method, &error))?;
        Ok((method.get_ref().clone(), class, name))
    }

    fn bad_pattern(&self, pattern: &Spanned<String>, error: &Error) -> Error {
        position::fault(self.text, pattern.span(), ConfigErrorKind::Pattern, error.message())
    }

    pub(crate) fn patterns(&self, patterns: &Texts) -> Result<PatternSet> {
        patterns.iter().map(|pattern| self.pattern(pattern)).collect::<Result<_>>().map(PatternSet::new)
    }

    /// A duration such as `10s`.
    pub(crate) fn span(&self, text: &Option<Spanned<String>>) -> Result<Option<Duration>> {
        let Some(text) = text else { return Ok(None) };
        parse_duration(text.get_ref()).map(Some).map_err(|message| self.fault(text.span(), &message))
    }

    pub(crate) fn field(&self, field: Spanned<String>) -> Result<String> {
        let name = field.get_ref();
        // JVMS §4.2.2: an unqualified name has none of . ; [ /. The comma separates fields in the probe contract.
        if name.is_empty() || name.contains(|c: char| ".;[/,".contains(c) || c.is_whitespace() || c.is_control()) {
            return Err(self.fault(field.span(), &format!("`{}` is no field name", name.escape_debug())));
        }
        Ok(field.into_inner())
    }
}
