//! Which of the two text formats a request wants, by its `Accept` (RFC 9110, section 12.5.1).

use weighbridge_reporter::export::openmetrics::Dialect;

/// A media range of `Accept` that matches a format. A more specific range counts more.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
struct MediaRange {
    /// 0 `*/*`, 1 `text/*`, 2 `text/plain`, 3 with the version.
    specificity: u8,
    quality: f32,
}

/// OpenMetrics if the client prefers it to the older text format, or names it with the same quality. Otherwise the older
/// format, which everything reads.
pub(super) fn dialect(accept: &str) -> Dialect {
    let openmetrics = find_media_range(accept, "application", "openmetrics-text", "1.0.0");
    let plain = find_media_range(accept, "text", "plain", "0.0.4").map_or(0.0, |wanted| wanted.quality);
    match openmetrics {
        Some(MediaRange { quality, .. }) if quality > plain => Dialect::OpenMetrics,
        Some(MediaRange { specificity: 2.., quality }) if quality == plain && quality > 0.0 => Dialect::OpenMetrics,
        _ => Dialect::Plain,
    }
}

/// The most specific range that matches.
fn find_media_range(accept: &str, kind: &str, subtype: &str, version: &str) -> Option<MediaRange> {
    let ranges = accept.split(',').filter_map(|range| {
        let mut parts = range.split(';').map(|part| part.trim().to_ascii_lowercase());
        let media = parts.next()?;
        let mut specificity = match media.split_once('/')? {
            ("*", "*") => 0,
            (own, "*") if own == kind => 1,
            (own, sub) if own == kind && sub == subtype => 2,
            _ => return None,
        };
        let mut quality = 1.0;
        for parameter in parts {
            match parameter.split_once('=') {
                Some(("q", weight)) => quality = weight.trim().parse::<f32>().ok()?.clamp(0.0, 1.0),
                Some(("version", other)) if other.trim_matches('"') != version => return None,
                Some(("version", _)) => specificity = 3,
                _ => {}
            }
        }
        Some(MediaRange { specificity, quality })
    });
    ranges.max_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal))
}
