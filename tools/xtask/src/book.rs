//! The documentation as a site (`cargo xtask book`): the pages of `docs/` and the README, made into HTML by mdBook.
//!
//! Pages link to files of the repository, which a site does not have. Such a link becomes its text.

use std::fs;
use std::path::{Component, Path, PathBuf};
use std::process::Command;

use anyhow::Context;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use walkdir::WalkDir;

use crate::corpus::fetch::{checkout, succeed, target_folder};

/// The version of mdBook that is installed if it is not there.
const MDBOOK: &str = "0.5.4";

/// Makes the site and returns its folder.
pub fn make() -> anyhow::Result<PathBuf> {
    let mdbook = installed()?;
    let source = target_folder().join("book-source");
    let site = target_folder().join("book");
    write_source(&source)?;
    succeed(Command::new(mdbook).arg("build").arg(&source).arg("--dest-dir").arg(&site))?;
    Ok(site)
}

/// mdBook, in `target/tools` by `cargo install`.
fn installed() -> anyhow::Result<PathBuf> {
    let tools = target_folder().join("tools");
    let mdbook = tools.join("bin/mdbook");
    let version = Command::new(&mdbook).arg("--version").output();
    let is_there = version.is_ok_and(|output| output.stdout == format!("mdbook v{MDBOOK}\n").as_bytes());
    if !is_there {
        let mut cargo = Command::new("cargo");
        cargo.args(["install", "mdbook", "--version", MDBOOK, "--locked", "--force", "--quiet", "--debug"]);
        succeed(cargo.args(["--no-default-features", "--features", "search", "--root"]).arg(&tools))?;
    }
    Ok(mdbook)
}

/// What mdBook reads: its configuration, and the pages and pictures.
fn write_source(folder: &Path) -> anyhow::Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    let docs = checkout().join("docs");
    for entry in WalkDir::new(&docs).sort_by_file_name() {
        let entry = entry?;
        let kind = entry.path().extension().and_then(|kind| kind.to_str());
        let path = folder.join(entry.path().strip_prefix(&docs)?);
        match kind {
            Some("md") => write_page(&path, &page(entry.path())?)?,
            Some("png" | "toml") => {
                fs::create_dir_all(path.parent().context("a folder")?)?;
                fs::copy(entry.path(), &path)?;
            }
            _ => {}
        }
    }
    write_page(&folder.join("README.md"), &page(&checkout().join("README.md"))?)?;
    let summary = page(&docs.join("SUMMARY.md"))? + &decisions()?;
    write_page(&folder.join("SUMMARY.md"), &summary)
}

fn write_page(path: &Path, text: &str) -> anyhow::Result<()> {
    fs::create_dir_all(path.parent().context("a folder")?)?;
    fs::write(path, text).with_context(|| path.display().to_string())
}

/// The decisions as part of the summary.
fn decisions() -> anyhow::Result<String> {
    let mut lines = String::from("\n# Decisions\n\n");
    for entry in WalkDir::new(checkout().join("docs/decisions")).min_depth(1).sort_by_file_name() {
        let entry = entry?;
        let text = fs::read_to_string(entry.path())?;
        let title = text.lines().next().unwrap_or_default().trim_start_matches("# ");
        lines += &format!("- [{title}](decisions/{})\n", entry.file_name().to_string_lossy());
    }
    Ok(lines)
}

/// A page as the site has it.
fn page(path: &Path) -> anyhow::Result<String> {
    let text = fs::read_to_string(path).with_context(|| path.display().to_string())?;
    let mut site = String::new();
    let mut end = 0;
    for link in links(&text) {
        site += &text[end..link.range.start];
        end = link.range.end;
        let (name, _) = text[link.range.clone()].rsplit_once("](").context("a link in one piece")?;
        let name = &name[1..];
        site += &match in_site(path, &link.target) {
            Some(target) => format!("[{name}]({target})"),
            None => name.to_owned(),
        };
    }
    site += &text[end..];
    // Pictures of the README are HTML.
    Ok(site.replace("\"docs/screenshots/", "\"screenshots/"))
}

/// Where a link of a page leads in the site, if it does.
fn in_site(page: &Path, target: &str) -> Option<String> {
    if target.contains("://") || target.starts_with('#') {
        return Some(target.to_owned());
    }
    let (file, anchor) = target.split_once('#').map_or((target, None), |(file, anchor)| (file, Some(anchor)));
    let root = checkout();
    let led = plain(&page.parent()?.join(file));
    let led = led.strip_prefix(root).ok()?;
    let of_page = page.strip_prefix(root).ok()?;
    let within = match led.strip_prefix("docs") {
        Ok(within) if led.extension().is_some_and(|kind| kind == "md" || kind == "png") => within,
        _ if led == Path::new("README.md") => led,
        _ => return None,
    };
    let depth = of_page.strip_prefix("docs").map_or(0, |page| page.components().count() - 1);
    let anchor = anchor.map_or_else(String::new, |anchor| format!("#{anchor}"));
    Some(format!("{}{}{anchor}", "../".repeat(depth), within.display()))
}

/// A path without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir => {}
            part => plain.push(part),
        }
    }
    plain
}

/// A link in a page.
struct PageLink {
    range: std::ops::Range<usize>,
    target: String,
}

fn links(text: &str) -> Vec<PageLink> {
    let link = |(event, range)| match event {
        Event::Start(Tag::Link { dest_url, .. }) => Some(PageLink { range, target: dest_url.into_string() }),
        _ => None,
    };
    Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter().filter_map(link).collect()
}

/// Links of all pages of the repository that lead nowhere: page, target.
pub fn dead_links() -> anyhow::Result<Vec<(PathBuf, String)>> {
    let root = checkout();
    let mut dead = Vec::new();
    let of_docs = WalkDir::new(root.join("docs")).sort_by_file_name().into_iter();
    let of_root = WalkDir::new(root).max_depth(2).sort_by_file_name().into_iter().filter_entry(|entry| {
        !["target", "docs", "node_modules", ".git"].iter().any(|name| entry.file_name() == *name)
    });
    for entry in of_root.chain(of_docs) {
        let entry = entry?;
        if entry.path().extension().is_none_or(|kind| kind != "md") {
            continue;
        }
        let text = fs::read_to_string(entry.path())?;
        for link in links(&text) {
            if !leads(entry.path(), &link.target)? {
                dead.push((entry.path().strip_prefix(root)?.to_owned(), link.target));
            }
        }
    }
    Ok(dead)
}

fn leads(page: &Path, target: &str) -> anyhow::Result<bool> {
    if target.contains("://") {
        return Ok(true);
    }
    let (file, anchor) = target.split_once('#').map_or((target, None), |(file, anchor)| (file, Some(anchor)));
    let led = match file {
        "" => page.to_owned(),
        file => page.parent().context("a folder")?.join(file),
    };
    Ok(match anchor {
        Some(anchor) if led.is_file() => anchors(&fs::read_to_string(&led)?).iter().any(|known| known == anchor),
        Some(_) => false,
        None => led.exists(),
    })
}

/// The anchors of a page's headings, as GitHub and mdBook make them.
fn anchors(text: &str) -> Vec<String> {
    let mut anchors = Vec::new();
    let mut heading: Option<String> = None;
    for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
            Event::End(TagEnd::Heading(_)) => anchors.extend(heading.take()),
            Event::Text(words) | Event::Code(words) => {
                if let Some(heading) = &mut heading {
                    let signs = words.chars().filter(|sign| sign.is_alphanumeric() || matches!(sign, ' ' | '-' | '_'));
                    heading.extend(signs.flat_map(char::to_lowercase).map(|sign| if sign == ' ' { '-' } else { sign }));
                }
            }
            _ => {}
        }
    }
    anchors
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_stays_if_the_site_has_its_page_and_else_becomes_its_text() {
        let root = checkout();
        let of = |page: &str, target: &str| in_site(&root.join(page), target);
        assert_eq!(of("README.md", "docs/heap.md#costs").as_deref(), Some("heap.md#costs"));
        assert_eq!(of("docs/heap.md", "attach.md").as_deref(), Some("attach.md"));
        assert_eq!(of("docs/tutorials/a.md", "../heap.md").as_deref(), Some("../heap.md"));
        assert_eq!(of("docs/tutorials/a.md", "../../README.md").as_deref(), Some("../README.md"));
        assert_eq!(of("docs/heap.md", "../benches/run"), None);
        assert_eq!(of("docs/heap.md", "https://a.b/c").as_deref(), Some("https://a.b/c"));
    }

    #[test]
    fn no_link_of_a_page_leads_nowhere() {
        assert_eq!(dead_links().expect("pages"), []);
    }

    #[test]
    fn anchors_are_those_of_headings() {
        assert_eq!(anchors("# What *it* costs\n\n## `[[budget]]`: \"who\"\n"), ["what-it-costs", "budget-who"]);
    }
}
