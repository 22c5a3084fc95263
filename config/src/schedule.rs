//! When to measure: `at = ["exit", "every 10s", "request"]`.

use std::time::Duration;

/// The moments at which the runtime measures.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schedule {
    /// When the JVM ends.
    pub exit: bool,
    /// At this interval.
    pub every: Option<Duration>,
    /// When the program or a JMX client asks for it. That is always possible; alone it means that nothing else is wanted.
    pub request: bool,
}

impl Schedule {
    /// Adds one element of `at`, or says what is wrong with it.
    pub(super) fn add(&mut self, element: &str) -> Result<(), String> {
        let twice = match element {
            "exit" => std::mem::replace(&mut self.exit, true),
            "request" => std::mem::replace(&mut self.request, true),
            _ => {
                let Some(interval) = element.strip_prefix("every ") else {
                    return Err(format!("`{element}` is no moment: `exit`, `request` or `every 10s`"));
                };
                self.every.replace(parse_duration(interval.trim_start())?).is_some()
            }
        };
        if twice { Err(format!("`{element}`: said twice")) } else { Ok(()) }
    }
}

/// Parses `500ms`, `10s`, `5m` or `1h`; whole numbers above 0.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    parse_pause(text).and_then(|duration| match duration {
        Duration::ZERO => Err(format!("`{text}` is no duration above 0")),
        duration => Ok(duration),
    })
}

/// Parses a budget of pauses: a duration, or `0s`, which grants no stop that can be left out.
pub fn parse_pause(text: &str) -> Result<Duration, String> {
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, unit) = text.split_at(digits);
    let milliseconds = match unit {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        _ => return Err(format!("`{text}` is no duration: `500ms`, `10s`, `5m` or `1h`")),
    };
    let milliseconds = number.parse::<u64>().ok().and_then(|number| number.checked_mul(milliseconds));
    milliseconds.map(Duration::from_millis).ok_or_else(|| format!("`{text}` is no whole number of {unit}"))
}

/// Writes a duration in the largest unit that divides it, as [`parse_duration`] reads it.
pub fn format_duration(duration: Duration) -> String {
    let milliseconds = duration.as_millis();
    for (length, unit) in [(3_600_000, "h"), (60_000, "m"), (1_000, "s")] {
        if milliseconds.is_multiple_of(length) {
            return format!("{}{unit}", milliseconds / length);
        }
    }
    format!("{milliseconds}ms")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_whole_numbers_with_a_unit() {
        for (text, milliseconds) in [("500ms", 500), ("10s", 10_000), ("5m", 300_000), ("1h", 3_600_000)] {
            let duration = parse_duration(text).unwrap();
            assert_eq!(duration, Duration::from_millis(milliseconds));
            assert_eq!(format_duration(duration), text);
        }
        for wrong in ["", "10", "s", "0s", "1.5s", "10 s", "99999999999999999999h", "-1s"] {
            parse_duration(wrong).unwrap_err();
            assert_eq!(parse_pause(wrong).is_ok(), wrong == "0s");
        }
    }

    #[test]
    fn a_schedule_has_each_moment_once() {
        let mut schedule = Schedule::default();
        schedule.add("exit").unwrap();
        schedule.add("every 10s").unwrap();
        schedule.add("request").unwrap();
        assert_eq!(schedule, Schedule { exit: true, every: Some(Duration::from_secs(10)), request: true });
        assert_eq!(schedule.add("every 5s").unwrap_err(), "`every 5s`: said twice");
        assert_eq!(schedule.add("never").unwrap_err(), "`never` is no moment: `exit`, `request` or `every 10s`");
    }
}
