//! What packages are made of: completions and manual pages.

use std::fs;

use crate::support::Folder;

#[test]
fn completions_name_the_verbs_and_an_unknown_shell_is_wrong_usage() {
    let folder = Folder::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let answer = folder.run(&["completions", shell]);
        assert_eq!((answer.code, answer.stderr.as_str()), (Some(0), ""), "{answer}");
        for word in ["dominators", "--include", "jvms"] {
            // fish has flags without their dashes.
            assert!(answer.stdout.contains(word.trim_start_matches('-')), "{shell}: no {word}");
        }
    }
    assert_eq!(folder.run(&["completions", "csh"]).code, Some(2));
}

#[test]
fn every_verb_that_the_help_shows_has_a_page_and_no_page_is_replaced_unasked() {
    let folder = Folder::new();
    fs::create_dir(folder.path("man")).expect("a folder");
    assert_eq!(folder.run(&["man", "--dest", "man"]).code, Some(0));
    let page = |name: &str| fs::read_to_string(folder.path(&format!("man/{name}.1"))).expect(name);
    assert!(page("weighbridge").contains("Exit codes:"));
    assert!(page("weighbridge-heap-path").contains("0xADDRESS"));
    assert!(!folder.path("man/weighbridge-man.1").exists());
    let help = folder.run(&["--help"]).stdout;
    let verbs = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let verbs: Vec<&str> = verbs
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|verb| *verb != "help")
        .collect();
    assert!(verbs.len() > 15, "{verbs:?}");
    for verb in verbs {
        assert!(page(&format!("weighbridge-{verb}")).contains(".SH SYNOPSIS"), "{verb}");
    }
    let again = folder.run(&["man", "--dest", "man"]);
    assert_eq!(again.code, Some(2), "{again}");
    assert_eq!(folder.run(&["man", "--dest", "man", "--force"]).code, Some(0));
    assert_eq!(folder.run(&["man", "--dest", "nowhere"]).code, Some(3));
}
