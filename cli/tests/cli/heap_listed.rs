//! `heap list` and `heap group` from outside.

use crate::heap_sql::folder;
use crate::support::{Answer, Folder};

fn heap(folder: &Folder, verb: &str, arguments: &[&str]) -> Answer {
    folder.run(&[&["heap", verb, "app.hprof"], arguments, &["--sizes", "raw"]].concat())
}

/// What a verb answers in CSV, with the texts of the program.
fn csv(folder: &Folder, verb: &str, arguments: &[&str]) -> String {
    let answer = heap(folder, verb, &[arguments, &["-o", "csv", "--no-redact"]].concat());
    assert_eq!((answer.code, answer.stderr.as_str()), (Some(0), ""), "{answer}");
    answer.stdout
}

#[test]
fn the_objects_of_a_class_are_listed_with_fields_and_conditions_on_them() {
    let folder = folder();
    let list = |arguments: &[&str]| csv(&folder, "list", arguments);
    let fields = ["com.acme.*", "--fields", "user,visits"];
    let session = "0x2100,com.acme.Session,12,36,jdbc:ann:secret,3\n";
    let admin = "0x2200,com.acme.Admin,16,16,jdbc:ann:secret,70\n";
    let other = "0x2000,com.acme.Session,12,12,jdbc:ann:secret,7\n";
    assert_eq!(list(&fields), format!("address,class,shallow,retained,user,visits\n{session}{admin}{other}"));
    let only = |condition: &str| {
        list(&[&fields[..], &["--where", condition]].concat()).split_once('\n').expect("a head").1.to_owned()
    };
    assert_eq!(only("visits > 5"), format!("{admin}{other}"));
    assert_eq!(only("\"visits\" > 5 and user like 'jdbc:%' and shallow < 16"), other);
    assert_eq!(only("level = 9 -- a remark"), admin);
    assert_eq!(only("visits + visits = 6 or level"), format!("{session}{admin}"));
    assert_eq!(only("retained > 12 and class like '%Session'"), session);
    assert_eq!(
        list(&[
            "java.util.HashMap",
            "--fields",
            "table[1].user,table.length",
            "--where",
            "field(address,'table.length') = 4"
        ]),
        "address,class,shallow,retained,table[1].user,table.length\n0x1000,java.util.HashMap,12,92,jdbc:ann:secret,4\n"
    );
    let strings = list(&["java.lang.String", "--where", "text(address) = 'bob'"]);
    assert_eq!(strings, "address,class,shallow,retained,text\n0x3200,java.lang.String,9,12,bob\n");
    assert!(list(&["java.lang.Object[]"]).contains("0x1100"));
    for (arguments, code, said) in [
        (&["com.acme.Session", "--where", "visits >"][..], 2, "syntax error"),
        (&["com.acme.Session", "--where", "1) or (select 1"], 2, "syntax error"),
        (&["com.acme.Session", "--where", "1); delete from objects; --"], 2, "more than one statement"),
        (&["com.acme.Session", "--fields", ""], 2, "a field without a name"),
        (&["com.acme.Session", "--fields", "a..b"], 2, "is no path of fields"),
        (&["Session"], 3, "there is no object of class Session; did you mean com.acme.Session?"),
        (&["com..Session"], 2, ""),
    ] {
        let answer = heap(&folder, "list", arguments);
        assert_eq!((answer.code, answer.stdout.as_str()), (Some(code), ""), "{arguments:?}: {answer}");
        assert!(answer.stderr.contains(said), "{answer}");
    }
    let slip = heap(&folder, "list", &["com.acme.Session", "--where", "visit > 5"]);
    assert!(slip.stderr.contains("no object that was asked has a field 'visit'"), "{slip}");
    let shown = heap(&folder, "list", &["com.acme.*", "--fields", "user", "--top", "1"]);
    assert!(shown.stdout.contains("jdbc:ann:secret") && shown.stdout.contains("... and 2 more (--top)"), "{shown}");
    let hidden = heap(&folder, "list", &["com.acme.*", "--fields", "user", "-o", "html"]);
    assert!(!hidden.stdout.contains("secret") && hidden.stdout.contains("[15 chars #"), "{hidden}");
}

#[test]
fn objects_are_grouped_by_texts_numbers_and_classes_of_fields() {
    let folder = folder();
    let group = |arguments: &[&str]| csv(&folder, "group", arguments);
    let by_user = group(&["com.acme.*", "--by", "user"]);
    assert_eq!(by_user, "user,objects,shallow,retained\njdbc:ann:secret,3,40,64\n");
    assert_eq!(group(&["com.acme.*", "--by", "class"]).lines().nth(1), Some("com.acme.Session,2,24,48"));
    assert_eq!(group(&["java.util.HashMap", "--by", "table"]).lines().nth(1), Some("java.lang.Object[],1,12,92"));
    let both = group(&["com.acme.*", "--by", "user,visits", "--where", "visits < 10"]);
    assert_eq!(both.lines().count(), 3, "{both}");
    let text = heap(&folder, "group", &["com.acme.*", "--by", "visits"]);
    assert!(text.stdout.contains("nested objects of a group once"), "{text}");
    let none = heap(&folder, "group", &["com.acme.*"]);
    assert_eq!(none.code, Some(2), "{none}");
    for no_condition in ["1) or (select 1", "objects > 1"] {
        let refused = heap(&folder, "group", &["com.acme.*", "--by", "user", "--where", no_condition]);
        assert_eq!((refused.code, refused.stdout.as_str()), (Some(2), ""), "{no_condition}: {refused}");
    }
}
