//! `heap` from outside.

use crate::support::Folder;
use insta::assert_snapshot;
use weighbridge_tests::heap_dump::{FORMS, OBJECT, Writer};
use weighbridge_tests::worked_example;

/// `com.acme.Cache` holds an array of two entries in a static field, thread 1 holds a third entry in its frame, and a
/// fourth is garbage.
fn dump() -> Vec<u8> {
    let mut dump = Writer::new(FORMS[0]);
    dump.class(0x100, "java/lang/Object", 0, &[], &[]);
    dump.class(0x200, "java/lang/Thread", 0x100, &[], &[]);
    dump.class(0x300, "com/acme/Cache", 0x100, &[0x1000], &[]);
    dump.class(0x400, "com/acme/Entry", 0x100, &[], &[("next", OBJECT)]);
    dump.class(0x500, "[Lcom/acme/Entry;", 0x100, &[], &[]);
    [0x100, 0x200, 0x300, 0x400, 0x500].into_iter().for_each(|class| dump.root(0x05, class, &[]));
    dump.objects(0x1000, 0x500, &[0x2000, 0x2010]);
    [0x2000, 0x2010, 0x2020, 0x2030].into_iter().for_each(|entry| dump.instance(entry, 0x400, &[0], &[]));
    dump.trace(1, &["main"]);
    dump.instance(0x3000, 0x200, &[], &[]);
    dump.root(0x08, 0x3000, &[1, 1]);
    dump.root(0x03, 0x2020, &[1, 0]);
    dump.finish()
}

/// A page without its program, style and policy.
fn without_program(page: &str) -> String {
    let mut page = page.to_owned();
    for (start, end) in [("<script>", "</script>"), ("<style>", "</style>"), ("Content-Security-Policy", ">")] {
        let from = page.find(start).expect("it is there") + start.len();
        let to = from + page[from..].find(end).expect("its end");
        page.replace_range(from..to, "...");
    }
    page
}

fn json(folder: &Folder, arguments: &[&str]) -> serde_json::Value {
    let answer = folder.run(arguments);
    assert_eq!((answer.code, answer.stderr.as_str()), (Some(0), ""), "{answer}");
    serde_json::from_str(&answer.stdout).expect("JSON")
}

#[test]
fn a_histogram_counts_reachable_objects_and_on_request_the_others() {
    let folder = Folder::new();
    folder.write("app.hprof", dump());
    assert_snapshot!("heap_histogram", folder.run(&["heap", "histogram", "app.hprof", "--unreachable"]));
    let raw = json(&folder, &["heap", "histogram", "app.hprof", "--sizes", "raw", "-o", "json"]);
    assert_snapshot!("heap_histogram_json", serde_json::to_string_pretty(&raw).expect("JSON"));
}

/// What a table of a report is called, and the keys of its columns, for each verb.
const TABLES: [(&[&str], &str, &str); 9] = [
    (&["histogram"], "classes", "class,loader,instances,shallow_bytes,administrative_bytes,size"),
    (&["histogram", "--unreachable"], "unreachable", "class,loader,instances,shallow_bytes,administrative_bytes,size"),
    (&["dominators"], "nodes", "level,class,object,places,shallow_bytes,retained_bytes"),
    (&["dominators", "--drops"], "drops", "class,object,retained_bytes,largest_child_bytes,children"),
    (&["threads"], "threads", "name,thread,proprietary_bytes,shared_bytes,total_bytes"),
    (&["threads"], "frames", "thread,index,method,kind,proprietary_bytes,shared"),
    (&["release"], "single", "threads,proprietary_bytes,shared_bytes,total_bytes"),
    (&["waste"], "strings", "text,saved_bytes,copies,example"),
    (&["path", "com.acme.Entry"], "", ""),
];

#[test]
fn each_table_of_a_report_is_csv_and_all_of_it_is_markdown() {
    let folder = Folder::new();
    folder.write("app.hprof", dump());
    for (verb, table, head) in TABLES {
        let asked = [&["heap"][..], &verb[..1], &["app.hprof"], &verb[1..]].concat();
        let markdown = folder.run(&[&asked[..], &["-o", "markdown"]].concat());
        assert_eq!((markdown.code, markdown.stderr.as_str()), (Some(0), ""), "{markdown}");
        assert!(markdown.stdout.starts_with("## "), "{markdown}");
        if table.is_empty() {
            continue;
        }
        let csv = folder.run(&[&asked[..], &["-o", "csv", "--table", table]].concat());
        assert_eq!((csv.code, csv.stderr.as_str()), (Some(0), ""), "{csv}");
        let mut rows = csv::Reader::from_reader(csv.stdout.as_bytes());
        let heads: Vec<String> = rows.headers().expect("a header").iter().map(str::to_owned).collect();
        assert_eq!(heads.join(","), head, "{csv}");
        let rows: Vec<csv::StringRecord> = rows.records().map(|row| row.expect("a row")).collect();
        // All rows, whatever --top says, and the same figures as in JSON.
        let figures = json(&folder, &[&asked[..], &["-o", "json"]].concat());
        if let (Some(objects), "classes" | "unreachable") = (figures[table].as_array(), table) {
            let bytes = objects.iter().map(|row| row["shallow_bytes"].to_string());
            let column = heads.iter().position(|head| head == "shallow_bytes").expect("a column");
            assert!(bytes.eq(rows.iter().map(|row| row[column].to_owned())), "{csv}");
        }
    }
    for (arguments, words) in [
        (&["-o", "csv", "--table", "nodes"][..], "this report has the tables classes"),
        (&["--table", "classes"], "--table is for -o csv"),
    ] {
        let refused = folder.run(&[&["heap", "histogram", "app.hprof"], arguments].concat());
        assert_eq!(refused.code, Some(2), "{refused}");
        assert!(refused.stderr.contains(words) && refused.stdout.is_empty(), "{refused}");
    }
}

#[test]
fn a_histogram_of_all_objects_is_the_sum_of_both_tables() {
    let folder = Folder::new();
    folder.write("app.hprof", dump());
    let text = folder.run(&["heap", "histogram", "app.hprof", "--all"]);
    assert_eq!((text.code, text.stderr.as_str()), (Some(0), ""), "{text}");
    for said in ["every object is counted, reachable or not", "11 objects counted: ", "\nAll objects by class\n"] {
        assert!(text.stdout.contains(said), "{said}: {text}");
    }
    let all = json(&folder, &["heap", "histogram", "app.hprof", "--all", "-o", "json"]);
    let both = json(&folder, &["heap", "histogram", "app.hprof", "--unreachable", "-o", "json"]);
    assert_eq!((&all["counted"], &both["counted"]), (&"all".into(), &"reachable".into()));
    let sum = |key: &str| {
        let rows = ["classes", "unreachable"].into_iter().flat_map(|table| both[table].as_array().expect("rows"));
        rows.map(|row| row[key].as_u64().expect("a figure")).sum::<u64>()
    };
    assert_eq!(all["summary"]["objects"], sum("instances"));
    assert_eq!(all["summary"]["bytes"], sum("shallow_bytes"));
    for more in [&["--unreachable"][..], &["--soft", "weak"], &["--references", "mat"]] {
        let refused = folder.run(&[&["heap", "histogram", "app.hprof", "--all"], more].concat());
        assert_eq!(refused.code, Some(2), "{refused}");
    }
}

#[test]
fn dominators_unfold_by_object_and_group_by_class_package_and_loader() {
    let folder = Folder::new();
    folder.write("app.hprof", dump());
    let by = |by| folder.run(&["heap", "dominators", "app.hprof", "--by", by, "--sizes", "raw", "--depth", "3"]);
    assert_snapshot!("heap_dominators_object", by("object"));
    assert_snapshot!("heap_dominators_class", by("class"));
    let arguments = ["heap", "dominators", "app.hprof", "--sizes", "raw", "--top", "1", "--drops", "-o"];
    let report = json(&folder, &[&arguments[..], &["json"]].concat());
    assert_snapshot!("heap_dominators_json", serde_json::to_string_pretty(&report).expect("JSON"));
    assert_snapshot!(
        "heap_dominators_html",
        without_program(&folder.run(&[&arguments[..], &["html"]].concat()).to_string())
    );
    for (by, name) in [("package", "com.acme"), ("loader", "boot")] {
        let arguments = ["heap", "dominators", "app.hprof", "--sizes", "raw", "--by", by, "-o", "json"];
        let nodes = json(&folder, &arguments)["nodes"].clone();
        let group = nodes.as_array().expect("nodes").iter().find(|node| node["class"] == name).expect("the group");
        assert_eq!(group["retained_bytes"], 40, "the cache's static field, its array and two entries");
    }
}

#[test]
fn an_unusable_dump_is_refused_and_a_cut_one_used_with_a_warning() {
    let folder = Folder::new();
    let whole = dump();
    folder.write("cut.hprof", &whole[..whole.len() - 60]);
    folder.write("future.hprof", [&b"JAVA PROFILE 1.0.4"[..], &whole[18..]].concat());
    folder.write("notes.txt", "not a dump");
    let cut = folder.run(&["heap", "histogram", "cut.hprof", "-f", "out.txt"]);
    assert_eq!(cut.code, Some(0), "{cut}");
    assert!(cut.stderr.contains("cut.hprof: the dump is cut: it ends at byte"), "{cut}");
    for (dump, message) in
        [("future.hprof", "HPROF 1.0.4 is not read, only 1.0.1 to 1.0.3"), ("notes.txt", "not a heap dump")]
    {
        let answer = folder.run(&["heap", "dominators", dump]);
        assert_eq!(answer.code, Some(3), "{answer}");
        assert!(answer.stderr.contains(message), "{answer}");
    }
    let again = folder.run(&["heap", "histogram", "cut.hprof", "-f", "out.txt"]);
    assert_eq!(again.code, Some(2), "{again}");
    let itself = folder.run(&["heap", "histogram", "cut.hprof", "-f", "cut.hprof", "--force"]);
    assert_eq!(itself.code, Some(2), "{itself}");
}

#[test]
fn threads_and_their_release_are_as_in_the_worked_example() {
    let folder = Folder::new();
    folder.write("app.hprof", worked_example::dump(&worked_example::example(), FORMS[0]).0);
    let threads = |arguments: &[&str]| {
        folder.run(&[&["heap", "threads", "app.hprof", "--sizes", "raw", "--system", "Class2"][..], arguments].concat())
    };
    assert_snapshot!("heap_threads", threads(&[]));
    assert_snapshot!("heap_threads_html", without_program(&threads(&["-o", "html", "--top", "2"]).to_string()));
    let report = json(&folder, &["heap", "threads", "app.hprof", "--sizes", "raw", "-o", "json"]);
    assert_snapshot!("heap_threads_json", serde_json::to_string_pretty(&report).expect("JSON"));
    let release =
        |arguments: &[&str]| folder.run(&[&["heap", "release", "app.hprof", "--sizes", "raw"][..], arguments].concat());
    assert_snapshot!("heap_release", release(&[]));
    assert_snapshot!("heap_release_asked", release(&["--threads", "#3,#4", "--start", "#1", "--running", "#2"]));
    assert_snapshot!("heap_release_html", without_program(&release(&["-o", "html", "--top", "3"]).to_string()));
}

#[test]
fn a_dump_that_takes_more_memory_than_allowed_is_refused_with_what_it_takes() {
    let folder = Folder::new();
    folder.write("app.hprof", dump());
    let answer = folder.run(&["heap", "dominators", "app.hprof", "--memory", "1000000", "-f", "report.txt"]);
    assert_eq!((answer.code, answer.stdout.as_str()), (Some(3), ""), "{answer}");
    assert!(answer.stderr.starts_with("weighbridge: error: app.hprof: needs up to "), "{answer}");
    assert!(answer.stderr.ends_with(" bytes of memory, 1000000 are allowed\n"), "{answer}");
    assert!(!folder.path("report.txt").exists());
}

/// Two caches and a session of a framework's context; a session holds a text that is there twice.
fn shop(sessions: u64) -> Vec<u8> {
    let mut dump = Writer::new(FORMS[0]);
    dump.class(0x100, "java/lang/String", 0, &[], &[("value", OBJECT), ("coder", 8)]);
    dump.class(0x108, "com/acme/Cache", 0, &[], &[("name", OBJECT), ("shared", OBJECT)]);
    dump.class(0x110, "com/acme/Session", 0, &[], &[("user", OBJECT), ("shared", OBJECT)]);
    dump.class(0x118, "org/frame/Context", 0, &[0x2000], &[]);
    dump.class(0x120, "[Ljava/lang/Object;", 0, &[], &[]);
    [0x100, 0x108, 0x110, 0x118, 0x120].into_iter().for_each(|class| dump.root(0x05, class, &[]));
    let mut held = vec![0x3000, 0x3100];
    dump.instance(0x3000, 0x108, &[0x4000, 0x5000], &[]);
    dump.instance(0x3100, 0x108, &[0x4100, 0x5000], &[]);
    for session in 0..sessions {
        held.push(0x8000 + 0x20 * session);
        dump.instance(0x8000 + 0x20 * session, 0x110, &[0x4200, 0x5000], &[]);
    }
    dump.objects(0x2000, 0x120, &held);
    dump.bytes(0x5000, &[7; 100]);
    for (string, text) in [(0x4000, "users"), (0x4100, "items"), (0x4200, "users")] {
        dump.instance(string, 0x100, &[string + 0x40], &[0]);
        dump.bytes(string + 0x40, text.as_bytes());
    }
    dump.finish()
}

const COMPONENTS: &str = "version = 1\n[components]\n\
    shop.caches = { instances = \"com.acme.Cache\", name_field = \"name\" }\n\
    shop.web = [\"com.acme.Session\"]\nlost = { paths = [\"com.acme.Lost.field\"] }\n";

#[test]
fn components_show_what_they_hold_and_what_keeps_them_alive() {
    let folder = Folder::new();
    folder.write("app.hprof", shop(3));
    folder.write("weighbridge.toml", COMPONENTS);
    folder.write("empty.toml", "version = 1");
    let arguments = ["heap", "components", "app.hprof", "--sizes", "raw", "--config"];
    assert_snapshot!("heap_components", folder.run(&[&arguments[..], &["weighbridge.toml"]].concat()));
    let answer = folder.run(&[&arguments[..], &["weighbridge.toml", "-o", "json"]].concat());
    let report: serde_json::Value = serde_json::from_str(&answer.stdout).expect("JSON");
    let component = |name: &str| {
        let rows = report["components"].as_array().expect("components").iter();
        rows.into_iter().find(|row| row["component"] == name).unwrap_or_else(|| panic!("{name} in {report:#}")).clone()
    };
    // A cache of 16 with its name of 9 + 5; three sessions of 16 and their text; the bytes that all of them share.
    assert_eq!(component("shop.caches[users]")["semantic_bytes"], 30);
    assert_eq!(component("shop.web")["semantic_bytes"], 48 + 14);
    assert_eq!(component("shop")["shared_bytes"], 100);
    assert_eq!(component("shop")["true_bytes"], 60 + 62 + 100);
    let refused = folder.run(&[&arguments[..], &["empty.toml"]].concat());
    assert_eq!(refused.code, Some(3), "{refused}");
}

#[test]
fn each_verb_refuses_a_dump_below_the_figure_that_it_gives_and_works_at_it() {
    let folder = Folder::new();
    folder.write("app.hprof", shop(300));
    folder.write("weighbridge.toml", COMPONENTS.split("lost").next().expect("the other rules"));
    let config = ["--config", "weighbridge.toml"];
    let by_component = [&["dominators", "app.hprof", "--by", "component"][..], &config].concat();
    let components = [&["components", "app.hprof"][..], &config].concat();
    let diff = [&["diff", "app.hprof", "app.hprof"][..], &config].concat();
    let verbs = [
        &["histogram", "app.hprof", "--all"][..],
        &["histogram", "app.hprof"],
        &["dominators", "app.hprof"],
        &["dominators", "app.hprof", "--by", "class"],
        &by_component,
        &["threads", "app.hprof"],
        &["release", "app.hprof"],
        &components,
        &["path", "app.hprof", "com.acme.Session"],
        &["object", "app.hprof", "0x5000"],
        &["waste", "app.hprof"],
        &["diff", "app.hprof", "app.hprof"],
        &diff,
    ];
    let mut needed = Vec::new();
    for verb in verbs {
        let with = |memory: u64| folder.run(&[&["heap"], verb, &["--memory", &memory.to_string()]].concat());
        let refused = with(1);
        assert_eq!(refused.code, Some(3), "{refused}");
        let figure = refused.stderr.split("needs up to ").nth(1).and_then(|rest| rest.split(' ').next());
        let figure: u64 = figure.and_then(|figure| figure.parse().ok()).unwrap_or_else(|| panic!("{refused}"));
        let (below, at) = (with(figure - 1), with(figure));
        assert_eq!((below.code, at.code), (Some(3), Some(0)), "{verb:?}: {below}{at}");
        assert_eq!(at.stderr, "", "{verb:?}");
        needed.push(figure);
    }
    let [all, histogram, dominators, by_class, by_component, threads, _, components, ..] = needed[..] else {
        panic!("{needed:?}")
    };
    assert!(all < histogram && histogram < dominators && dominators < components, "{needed:?}");
    assert!(dominators <= by_class && by_class < by_component && by_component < threads, "{needed:?}");
}

#[test]
fn paths_lead_from_the_roots_to_objects_by_class_or_address() {
    let folder = Folder::new();
    folder.write("app.hprof", shop(3));
    assert_snapshot!("heap_path", folder.run(&["heap", "path", "app.hprof", "com.acme.*", "--sizes", "raw"]));
    let one = json(&folder, &["heap", "path", "app.hprof", "0x5000", "-o", "json"]);
    let via: Vec<_> = one["paths"].as_array().expect("paths").iter().map(|row| row["via"].as_str()).collect();
    assert_eq!(via, [None, None, Some(".held (static)"), Some("[0]"), Some(".shared")]);
    for (target, code) in [("com.acme.Nothing", 3), ("0x5001", 3), ("0xyz", 2), ("com/acme", 2)] {
        let answer = folder.run(&["heap", "path", "app.hprof", target]);
        assert_eq!(answer.code, Some(code), "{answer}");
    }
    let short = folder.run(&["heap", "path", "app.hprof", "Session"]);
    let meant = "app.hprof: there is no object of class Session; did you mean com.acme.Session?";
    assert!(short.stderr.contains(meant), "{short}");
}

#[test]
fn the_dominator_tree_groups_by_the_components_of_a_configuration() {
    let folder = Folder::new();
    folder.write("app.hprof", shop(3));
    folder.write("weighbridge.toml", COMPONENTS);
    let arguments = ["heap", "dominators", "app.hprof", "--sizes", "raw", "--depth", "3"];
    let by = |more: &[&str]| folder.run(&[&arguments[..], more].concat());
    assert_snapshot!("heap_dominators_component", by(&["--by", "component", "--config", "weighbridge.toml"]));
    for wrong in [&["--config", "weighbridge.toml"][..], &["--by", "class", "--config", "x"]] {
        assert_eq!(by(wrong).code, Some(2), "{}", by(wrong));
    }
    let refused = [by(&["--by", "component"]), folder.run(&["heap", "components", "app.hprof"])];
    for answer in refused {
        assert_eq!(answer.code, Some(3), "{answer}");
        assert!(answer.stderr.contains("app.hprof: its program named no component"), "{answer}");
    }
}

#[test]
fn pages_of_trees_unfold() {
    let folder = Folder::new();
    folder.write("app.hprof", shop(3));
    folder.write("weighbridge.toml", COMPONENTS);
    let page = |arguments: &[&str]| {
        let answer = folder.run(&[&["heap"], arguments, &["--sizes", "raw", "-o", "html"]].concat());
        assert_eq!(answer.code, Some(0), "{answer}");
        answer.stdout
    };
    let components = page(&["components", "app.hprof", "--config", "weighbridge.toml"]);
    assert!(components.contains("<details open><summary><b>shop</b> <span class=q>semantic</span>"), "{components}");
    assert!(components.contains("<details><summary><b>shop.caches</b>"), "{components}");
    let path = page(&["path", "app.hprof", "0x5000"]);
    assert_eq!(path.matches("<details open>").count(), path.matches("</details>").count(), "{path}");
    assert!(path.contains("<p><b>.shared byte[]</b>"), "{path}");
}

#[test]
fn an_object_is_shown_with_what_it_refers_to_and_what_refers_to_it() {
    let folder = Folder::new();
    folder.write("app.hprof", shop(3));
    assert_snapshot!("heap_object", folder.run(&["heap", "object", "app.hprof", "0x3000", "--sizes", "raw"]));
    let array = json(&folder, &["heap", "object", "app.hprof", "0x5000", "--sizes", "raw", "-o", "json"]);
    assert_eq!(array["referrers"].as_array().map(Vec::len), Some(5));
    assert_eq!((&array["length"], &array["retained_bytes"]), (&100.into(), &100.into()));
    let html = folder.run(&["heap", "object", "app.hprof", "0x3000", "-o", "html"]);
    assert!(html.stdout.contains("<td>.name</td>"), "{html}");
}

#[test]
fn waste_shows_equal_strings() {
    let folder = Folder::new();
    folder.write("app.hprof", shop(3));
    assert_snapshot!("heap_waste", folder.run(&["heap", "waste", "app.hprof", "--sizes", "raw"]));
    let report = json(&folder, &["heap", "waste", "app.hprof", "--sizes", "raw", "-o", "json"]);
    assert_eq!(report["strings"]["saved_bytes"], 9 + 5);
    assert_eq!(report["strings"]["groups"][0]["text"], "users");
}

#[test]
fn a_dump_does_not_differ_from_itself_and_more_sessions_are_a_difference() {
    let folder = Folder::new();
    folder.write("before.hprof", shop(3));
    folder.write("after.hprof", shop(5));
    folder.write("weighbridge.toml", COMPONENTS);
    let none = json(&folder, &["heap", "diff", "before.hprof", "before.hprof", "-o", "json"]);
    assert_eq!((&none["classes"], &none["dominators"]), (&serde_json::json!([]), &serde_json::json!([])));
    let arguments = ["heap", "diff", "before.hprof", "after.hprof", "--sizes", "raw"];
    assert_snapshot!("heap_diff", folder.run(&[&arguments[..], &["--config", "weighbridge.toml"]].concat()));
    let report = json(&folder, &[&arguments[..], &["-o", "json"]].concat());
    let first = &report["classes"][0];
    assert_eq!((&first["name"], &first["change"]), (&"com.acme.Session".into(), &"grew".into()));
    assert_eq!((&first["instances_after"], &first["bytes_after"]), (&5.into(), &80.into()));
}

/// The type of a `long`.
const LONG: u8 = 11;

#[test]
fn memory_accumulates_in_a_linked_list_though_each_node_holds_all_but_one() {
    let folder = Folder::new();
    let mut dump = Writer::new(FORMS[0]);
    dump.class(0x100, "java/lang/Object", 0, &[], &[]);
    dump.class(0x300, "com/acme/Queue", 0x100, &[0x1_0000], &[]);
    dump.class(0x400, "com/acme/Node", 0x100, &[], &[("next", OBJECT), ("value", OBJECT)]);
    dump.class(0x500, "com/acme/Task", 0x100, &[], &[("first", LONG), ("second", LONG), ("third", LONG)]);
    [0x100, 0x300, 0x400, 0x500].into_iter().for_each(|class| dump.root(0x05, class, &[]));
    for at in 0..100_u64 {
        let next = if at == 99 { 0 } else { 0x1_0000 + 0x100 * (at + 1) };
        dump.instance(0x1_0000 + 0x100 * at, 0x400, &[next, 0x1_0080 + 0x100 * at], &[]);
        dump.instance(0x1_0080 + 0x100 * at, 0x500, &[], &[0; 24]);
    }
    folder.write("app.hprof", dump.finish());
    let report = json(&folder, &["heap", "suspects", "app.hprof", "--sizes", "raw", "--least", "1", "-o", "json"]);
    let suspect = &report["suspects"][0];
    assert_eq!((&suspect["kind"], &suspect["class"]), (&"accumulation".into(), &"com.acme.Node".into()), "{report:#}");
    assert_eq!(suspect["held_by"], "the static field held of com.acme.Queue");
    assert_eq!(suspect["contains"][0]["class"], "com.acme.Task", "{report:#}");
    assert_eq!(suspect["contains"][0]["objects"], 100);
    assert_snapshot!("heap_suspects", folder.run(&["heap", "suspects", "app.hprof", "--sizes", "raw", "--least", "1"]));
}

#[test]
fn a_heap_in_which_nothing_stands_out_says_what_was_looked_at() {
    let folder = Folder::new();
    folder.write("app.hprof", dump());
    assert_snapshot!("heap_no_suspects", folder.run(&["heap", "suspects", "app.hprof"]));
    let refused = folder.run(&["heap", "suspects", "app.hprof", "--share", "0"]);
    assert_eq!(refused.code, Some(2), "{refused}");
}
