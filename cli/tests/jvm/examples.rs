//! Examples of documents: fenced texts, commands after `$`, and what they write.

/// The fenced texts of the page, with their language.
pub fn fenced(page: &str) -> Vec<(&str, Vec<&str>)> {
    let mut fences = Vec::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        if let Some(language) = line.strip_prefix("```") {
            fences.push((language, lines.by_ref().take_while(|line| *line != "```").collect()));
        }
    }
    fences
}

/// The commands of an example, each with the lines that it should write.
pub fn commands<'a>(example: &[&'a str]) -> Vec<(&'a str, Vec<&'a str>)> {
    let mut commands: Vec<(&str, Vec<&str>)> = Vec::new();
    for line in example {
        match (line.strip_prefix("$ "), commands.last_mut()) {
            (Some(command), _) => commands.push((command, Vec::new())),
            (None, Some((_, output))) => output.push(line),
            (None, None) => panic!("output before any command: {example:#?}"),
        }
    }
    commands
}

/// Whether the lines are as shown; `...` matches any lines.
pub fn shows(shown: &[&str], written: &str) -> bool {
    let written: Vec<&str> = written.lines().collect();
    let mut at = 0;
    let mut anywhere = false;
    for part in shown.split(|line| *line == "...") {
        let last = written.len().saturating_sub(part.len());
        let mut starts = if anywhere { at..=last } else { at..=at };
        let Some(found) = starts.find(|start| written[*start..].starts_with(part)) else { return false };
        at = found + part.len();
        anywhere = true;
    }
    at == written.len() || shown.last() == Some(&"...")
}

#[test]
fn three_dots_match_any_lines_and_other_lines_must_be_equal() {
    let written = "a\nb\nc\nd\n";
    for shown in [&["a", "b", "c", "d"][..], &["a", "..."], &["...", "c", "d"], &["...", "b", "...", "d"], &["..."]] {
        assert!(shows(shown, written), "{shown:?}");
    }
    for shown in
        [&["a", "b", "c"][..], &["b", "..."], &["...", "b"], &["...", "c", "b", "..."], &["a", "x", "..."], &[]]
    {
        assert!(!shows(shown, written), "{shown:?}");
    }
}
