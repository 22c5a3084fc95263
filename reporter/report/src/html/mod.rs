//! The report as one page that needs no other file and no network: the JSON report, and a program that draws it.
//!
//! The program and its style are bundled from `reporter/web` and committed (`docs/decisions/0019-charts-of-the-page.md`).
//! The page's policy allows exactly these two, by their digests, and loads nothing. A name in a recording that looks like
//! markup stays text.
//!
//! The page of the console is made of the same sources. It has no report in it, and asks its server for it.

mod calls;
mod console;
mod counts;
mod data;
mod series;
mod tables;

use std::io::{self, Write};

use crate::aggregate::Aggregate;
use crate::findings;
pub use console::{policy as console_policy, write as write_console};
pub use data::write_data;
use weighbridge_table::page::{PROGRAM, STYLE, embedded, escaped, policy};

/// Writes the page. The same aggregate gives the same bytes.
pub fn write(aggregate: &Aggregate, output: &mut impl Write) -> io::Result<()> {
    let title = data::title(aggregate);
    let data = data::with_page_data(aggregate, &title, |data| embedded(data))?;
    let sentences = findings::statements(aggregate);
    let sentences: String = sentences.iter().map(|text| format!("<p>{}</p>\n", escaped(text))).collect();
    write!(
        output,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"generator\" content=\"Weighbridge {version}\">\n\
         <title>{title}: Weighbridge report</title>\n<style>{STYLE}</style>\n</head>\n<body>\n\
         <noscript>\n<h1>{title}</h1>\n{sentences}<p>Tables and charts need JavaScript.</p>\n</noscript>\n\
         <script type=\"application/json\" id=\"report\">{data}</script>\n<script>{PROGRAM}</script>\n</body>\n</html>\n",
        policy = policy(),
        version = env!("CARGO_PKG_VERSION"),
        title = escaped(&title),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_and_the_style_end_no_element_that_holds_them() {
        for (program, style) in [(PROGRAM, STYLE), (console::PROGRAM, console::STYLE)] {
            let program = program.to_lowercase();
            assert!(!program.contains("</script") && !program.contains("<!--"));
            assert!(!style.to_lowercase().contains("</style"));
        }
    }

    #[test]
    fn the_program_and_the_style_load_nothing() {
        let addresses = |text: &str| text.matches("http://").count() + text.matches("https://").count();
        // Names of namespaces and addresses in licences; anything more needs a look.
        for (program, style) in [(PROGRAM, STYLE), (console::PROGRAM, console::STYLE)] {
            let code = program.split_once("*/").expect("licences").1;
            assert_eq!(addresses(code), code.matches("http://www.w3.org/2000/svg").count(), "the program");
            assert_eq!(addresses(style) + style.matches("url(").count(), 0, "the style");
        }
    }
}
