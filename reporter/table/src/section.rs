//! The parts of a report: a heading and sentences or a table, laid out for a terminal or a file.

use std::io::{self, Write};

use weighbridge_outside::printable;

/// How the text is laid out. The default suits a file or a pipe.
#[derive(Debug, Clone, Copy, Default)]
pub struct TextOptions {
    /// Columns of the terminal; without it tables are as wide as they need and sentences are not wrapped.
    pub width: Option<u16>,
    /// Whether terminal codes mark headings and suspects.
    pub colour: bool,
    /// Rows of the class and component tables and of lists; all without it.
    pub top: Option<usize>,
}

impl TextOptions {
    /// The first rows, as many as are shown.
    pub fn top_rows<'a, T>(&self, rows: &'a [T]) -> &'a [T] {
        &rows[..self.top.unwrap_or(usize::MAX).min(rows.len())]
    }
}

/// Writes sections with empty lines between them; those without a body are left out.
pub fn write_sections(sections: &[Section], options: &TextOptions, output: &mut impl Write) -> io::Result<()> {
    for (index, section) in sections.iter().filter(|section| !section.body.is_empty()).enumerate() {
        if index > 0 {
            writeln!(output)?;
        }
        writeln!(output, "{}", ink(&section.title, BOLD, options))?;
        writeln!(output, "{}", section.laid_out(options))?;
    }
    Ok(())
}

/// Codes of ECMA-48, section 8.3.117.
pub const BOLD: &str = "1";
/// As [`BOLD`].
pub const FAINT: &str = "2";

/// A text with a code, if there are colours.
pub fn ink(text: &str, code: &str, options: &TextOptions) -> String {
    if options.colour { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
}

/// A heading and the text below it; without a body it is left out.
pub struct Section {
    /// The heading.
    pub title: String,
    /// The text.
    pub body: String,
    /// Indent of a sentence's lines after the first; none for a table, which is not wrapped.
    pub hang: Option<usize>,
    /// Less important than others.
    pub faint: bool,
}

impl Section {
    /// A table.
    pub fn new(title: impl Into<String>, body: String) -> Self {
        Section { title: title.into(), body, hang: None, faint: false }
    }

    /// A sentence a line.
    pub fn lines(title: impl Into<String>, lines: Vec<String>) -> Self {
        let body: Vec<String> = lines.iter().map(|line| format!("  {}", printable(line))).collect();
        Section { hang: Some(2), ..Section::new(title, body.join("\n")) }
    }

    fn laid_out(&self, options: &TextOptions) -> String {
        let wrapped = |line: &str| match (self.hang, options.width) {
            (Some(hang), Some(width)) => wrapped(line, hang, usize::from(width)),
            _ => line.to_owned(),
        };
        let lines = self.body.lines().map(wrapped);
        match self.faint {
            true => lines.map(|line| ink(&line, FAINT, options)).collect::<Vec<_>>().join("\n"),
            false => lines.collect::<Vec<_>>().join("\n"),
        }
    }
}

/// Breaks a line at the width and indents what follows; names longer than a line stay whole.
fn wrapped(line: &str, hang: usize, width: usize) -> String {
    let text = line.trim_start();
    let indent = line.len() - text.len();
    let (first, later) = (" ".repeat(indent), " ".repeat(indent + hang));
    let options = textwrap::Options::new(width).initial_indent(&first).subsequent_indent(&later).break_words(false);
    textwrap::fill(text, options.word_splitter(textwrap::WordSplitter::NoHyphenation))
}

/// A heading.
pub fn heading(title: &str, options: &TextOptions, output: &mut impl Write) -> io::Result<()> {
    writeln!(output, "{}", ink(title, BOLD, options))
}

/// A heading and lines below it.
pub fn opening(
    title: &str,
    lines: impl IntoIterator<Item = impl AsRef<str>>,
    options: &TextOptions,
    output: &mut impl Write,
) -> io::Result<()> {
    heading(title, options, output)?;
    lines.into_iter().try_for_each(|line| writeln!(output, "  {}", printable(line.as_ref())))
}
