//! The page of the console: a program that asks its server for reports, and draws them as the page of a report does.

use std::io::{self, Write};

use serde_json::json;

use crate::headings::HEADINGS;
use weighbridge_table::page::{digest, embedded};

pub(super) const PROGRAM: &str = include_str!("../../../web/dist/console.js");
pub(super) const STYLE: &str = include_str!("../../../web/dist/console.css");

/// What the page may load and run, the value of `Content-Security-Policy`: its own program and style, by their digests, and
/// what its own server answers. No other page may frame it.
pub fn policy() -> String {
    format!(
        "default-src 'none'; style-src '{}'; script-src '{}'; connect-src 'self'; base-uri 'none'; form-action 'none'; \
         frame-ancestors 'none'",
        digest(STYLE),
        digest(PROGRAM)
    )
}

/// Writes the page. It is the same for every program that is shown.
pub fn write(output: &mut impl Write) -> io::Result<()> {
    let data = embedded(&json!({ "headings": HEADINGS, "version": env!("CARGO_PKG_VERSION") }))?;
    write!(
        output,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>Weighbridge console</title>\n<style>{STYLE}</style>\n</head>\n<body>\n\
         <noscript>\n<h1>Weighbridge console</h1>\n<p>The console needs JavaScript. `weighbridge watch` shows the same in a \
         terminal.</p>\n</noscript>\n\
         <script type=\"application/json\" id=\"report\">{data}</script>\n<script>{PROGRAM}</script>\n</body>\n</html>\n",
    )
}
