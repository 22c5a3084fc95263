//! `heap sql` from outside.

use crate::support::{Answer, Folder};
use serde_json::Value;
use weighbridge_tests::heap_dump::{FORMS, OBJECT, Writer};
use weighbridge_tests::worked_example;

const INT: u8 = 10;

/// A store in a static field holds a map with two sessions of users, one of which is there twice; thread 1 holds a third
/// session in its frame; a fourth is garbage.
fn dump(form: usize) -> Vec<u8> {
    let mut dump = Writer::new(FORMS[form]);
    dump.class(0x100, "java/lang/Object", 0, &[], &[]);
    dump.class(0x200, "java/lang/String", 0x100, &[], &[("value", OBJECT), ("coder", 8)]);
    dump.class(0x300, "java/util/HashMap", 0x100, &[], &[("table", OBJECT), ("size", INT)]);
    dump.class(0x400, "com/acme/Session", 0x100, &[], &[("user", OBJECT), ("visits", INT)]);
    dump.class(0x500, "[Ljava/lang/Object;", 0x100, &[], &[]);
    dump.class(0x600, "java/lang/Thread", 0x100, &[], &[]);
    dump.class(0x700, "com/acme/Store", 0x100, &[0x1000], &[]);
    dump.class(0x800, "com/acme/Admin", 0x400, &[], &[("level", INT)]);
    (1..=8).for_each(|class| dump.root(0x05, class * 0x100, &[]));
    let int = |n: u32| n.to_be_bytes();
    dump.instance(0x1000, 0x300, &[0x1100], &int(20_000));
    dump.objects(0x1100, 0x500, &[0x2000, 0x2100, 0, 0x2000]);
    dump.instance(0x2000, 0x400, &[0x3000], &int(7));
    dump.instance(0x2100, 0x400, &[0x3100], &int(3));
    // The own fields come first.
    dump.instance(
        0x2200,
        0x800,
        &[],
        &[&int(9)[..], &0x3000_u64.to_be_bytes()[8 - FORMS[form].id..], &int(70)].concat(),
    );
    dump.instance(0x2300, 0x400, &[0], &int(1));
    for (string, text) in [(0x3000, "jdbc:ann:secret"), (0x3100, "jdbc:ann:secret"), (0x3200, "bob")] {
        dump.instance(string, 0x200, &[string + 0x40], &[0]);
        dump.bytes(string + 0x40, text.as_bytes());
    }
    dump.root(0x01, 0x3200, &[0; 2][..FORMS[form].id / 4]);
    dump.trace(1, &["work"]);
    dump.instance(0x4000, 0x600, &[], &[]);
    dump.root(0x08, 0x4000, &[1, 1]);
    dump.root(0x03, 0x2200, &[1, 0]);
    dump.finish()
}

pub fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("app.hprof", dump(0));
    folder
}

fn sql(folder: &Folder, statement: &str, more: &[&str]) -> Answer {
    folder.run(&[&["heap", "sql", "app.hprof", statement, "--sizes", "raw"], more].concat())
}

/// The rows of an answer, with its texts.
fn rows(folder: &Folder, statement: &str) -> Value {
    let answer = sql(folder, statement, &["-o", "json", "--no-redact"]);
    assert_eq!((answer.code, answer.stderr.as_str()), (Some(0), ""), "{statement}: {answer}");
    let report: Value = serde_json::from_str(&answer.stdout).unwrap_or_else(|error| panic!("{error}: {answer}"));
    assert_eq!(report["rows_total"], report["rows"].as_array().expect("rows").len());
    report["rows"].clone()
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

#[test]
fn every_query_of_the_page_runs_as_it_stands_there() {
    let folder = folder();
    let page = std::fs::read_to_string(weighbridge_tests::root().join("docs/heap-sql.md")).expect("the page");
    let queries: Vec<&str> = page.split("```sql\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert_eq!(queries.len(), 10);
    for query in queries {
        let found = rows(&folder, query);
        assert_ne!(found, json("[]"), "{query}");
    }
}

#[test]
fn the_page_names_every_table_column_and_function() {
    let page = std::fs::read_to_string(weighbridge_tests::root().join("docs/heap-sql.md")).expect("the page");
    let schema = folder().run(&["heap", "sql", "app.hprof", "--schema"]);
    assert_eq!(schema.code, Some(0), "{schema}");
    let mut table = "";
    for line in schema.stdout.lines().filter(|line| !line.is_empty()) {
        match line.strip_prefix("  ").map(str::trim_start) {
            None => table = line.split(':').next().unwrap_or_default(),
            Some(entry) => {
                let name = entry.split([' ', '(']).next().expect("a name");
                let named = page.lines().any(|row| {
                    row.starts_with(&format!("| `{table}`")) && row.contains(&format!("`{name}`"))
                        || row.contains("| those of `objects`") && table == "unreachable"
                        || row.contains(&format!("`{name}("))
                });
                assert!(named || line.starts_with("      "), "{table}: {line}");
            }
        }
    }
}

#[test]
fn objects_are_found_with_their_values_by_class_and_by_address() {
    for form in 0..FORMS.len() {
        let folder = Folder::new();
        folder.write("app.hprof", dump(form));
        let asked =
            "select address, value(address,'user'), field(address,'visits') from objects where class glob '*Session'";
        let expected = r#"[["0x2000", "jdbc:ann:secret", 7], ["0x2100", "jdbc:ann:secret", 3]]"#;
        assert_eq!(rows(&folder, asked), json(expected), "form {form}");
    }
    let folder = folder();
    for address in ["'0x2200'", "0x2200", "'0X002200'"] {
        let asked = format!(
            "select class, field(address,'visits'), field(address,'level') from objects where address={address}"
        );
        assert_eq!(rows(&folder, &asked), json(r#"[["com.acme.Admin", 70, 9]]"#), "{address}");
    }
    for nothing in ["'0x2300'", "'0x2201'", "'com.acme'", "null", "-1", "1.5"] {
        assert_eq!(rows(&folder, &format!("select 1 from objects where address={nothing}")), json("[]"), "{nothing}");
    }
    let none = "select address, retained from unreachable where class='com.acme.Session'";
    assert_eq!(rows(&folder, none), json(r#"[["0x2300", null]]"#));
    let path = "select field('0x1000','table[1].user'), field('0x1000','table.length'), field('0x1000','table[2].user'), \
                field('0x700','held.size'), class_of('0x700'), is_a('0x2200','com.acme.Session'), is_a('0x2000','com.acme.Admin')";
    assert_eq!(rows(&folder, path), json(r#"[["0x3100", 4, null, 20000, "class com.acme.Store", 1, 0]]"#));
    assert_eq!(
        rows(&folder, "select text('0x3000'), text('0x3040'), text('0x1000'), text(null)"),
        json(r#"[["jdbc:ann:secret", "jdbc:ann:secret", null, null]]"#)
    );
}

#[test]
fn a_look_up_gives_the_rows_of_a_pass_over_all() {
    let folder = folder();
    // A unary plus keeps SQLite from looking up.
    for (table, key, columns) in [
        ("objects", "class", "address, shallow, retained, length, package, loader, class_object"),
        ("objects", "address", "class, retained"),
        ("unreachable", "class", "address, shallow"),
        ("refs", "source", "target, field"),
        ("refs", "target", "source, field"),
        ("\"references\"", "target", "source, field"),
        ("strings", "address", "text, length, retained"),
        ("dominators", "address", "dominator, held_by, thread, class, retained"),
        ("dominators", "dominator", "address, held_by, thread, class, shallow, retained"),
    ] {
        let keys = rows(&folder, &format!("select distinct {key} from {table} where {key} is not null"));
        assert_ne!(keys, json("[]"), "{table}.{key}");
        for value in keys.as_array().expect("rows") {
            let value = value[0].as_str().expect("text");
            let of = |column| {
                rows(&folder, &format!("select {columns} from {table} where {column}='{value}' order by 1, 2"))
            };
            assert_eq!(of(key.to_owned()), of(format!("+{key}")), "{table}.{key}={value}");
        }
    }
    // The reference that is there twice is two rows.
    let twice = rows(&folder, "select field from refs where source='0x1100' and target='0x2000' order by 1");
    assert_eq!(twice, json(r#"[["[0]"], ["[3]"]]"#));
}

#[test]
fn figures_are_those_of_the_other_verbs() {
    let folder = folder();
    let verb = |verb: &str, more: &[&str]| {
        let answer = folder.run(&[&["heap", verb, "app.hprof", "--sizes", "raw", "-o", "json"], more].concat());
        json(&answer.stdout)
    };
    let key = |rows: &Value, keys: &[&str]| -> Vec<Value> {
        let rows = rows.as_array().expect("rows").iter();
        let mut cells: Vec<Value> = rows.map(|row| keys.iter().map(|key| row[*key].clone()).collect()).collect();
        cells.sort_by_key(ToString::to_string);
        cells
    };
    let sorted = |mut rows: Value| {
        rows.as_array_mut().expect("rows").sort_by_key(ToString::to_string);
        rows.as_array().expect("rows").clone()
    };
    let histogram = verb("histogram", &["--unreachable"]);
    let by_class = |table: &str| {
        sorted(rows(&folder, &format!("select class, count(*), sum(shallow) from {table} group by class")))
    };
    assert_eq!(by_class("objects"), key(&histogram["classes"], &["class", "instances", "shallow_bytes"]));
    assert_eq!(by_class("unreachable"), key(&histogram["unreachable"], &["class", "instances", "shallow_bytes"]));
    let classes = "select class, instances, shallow from classes where instances > 0";
    assert_eq!(sorted(rows(&folder, classes)), by_class("objects"));
    let tree = verb("dominators", &["--depth", "200", "--top", "0"]);
    fn flat(nodes: &Value, into: &mut Vec<Value>) {
        for node in nodes.as_array().into_iter().flatten() {
            if node["kind"] == "object" {
                into.push(serde_json::json!([node["object"], node["shallow_bytes"], node["retained_bytes"]]));
            }
            flat(&node["children"], into);
        }
    }
    let mut nodes = Vec::new();
    flat(&tree["nodes"], &mut nodes);
    nodes.sort_by_key(ToString::to_string);
    assert_eq!(sorted(rows(&folder, "select address, shallow, retained from dominators")), nodes);
    assert_eq!(sorted(rows(&folder, "select address, shallow, retained from objects")), nodes);
    assert_eq!(sorted(rows(&folder, "select address, shallow(address), retained(address) from objects")), nodes);
    // References and dominators in one query: the graph is needed twice.
    let joined =
        "select distinct d.address from refs r join dominators d on d.address = r.target and d.dominator = r.source";
    let nested = "select address from dominators d where held_by = 'object' \
                  and exists (select 1 from refs where target = d.address and source = d.dominator)";
    assert_ne!(rows(&folder, joined), json("[]"));
    assert_eq!(sorted(rows(&folder, joined)), sorted(rows(&folder, nested)));
}

#[test]
fn a_class_retains_nested_objects_once() {
    let folder = folder();
    // The map of 8 + 4 (raw), its array of 32, sessions of 12 with texts of 9 and 15; the text 0x3000 has two holders.
    let of = |what: &str| rows(&folder, &format!("select retained from classes where class='{what}'"))[0][0].clone();
    let each =
        rows(&folder, "select sum(retained), retained_once(address) from objects where class='com.acme.Session'");
    assert_eq!(each[0][0], each[0][1]);
    assert_eq!(of("com.acme.Session"), each[0][1]);
    let nested = "select sum(retained), retained_once(address) from objects where class in ('java.util.HashMap','com.acme.Session')";
    let nested = rows(&folder, nested);
    assert_eq!(nested[0][1], of("java.util.HashMap"), "sessions are below the map");
    assert!(nested[0][0].as_u64() > nested[0][1].as_u64());
    assert_eq!(rows(&folder, "select retained_once(address) from objects where 0")[0][0], 0);
}

#[test]
fn threads_frames_and_roots_are_there() {
    let folder = folder();
    let threads = rows(&folder, "select serial, address, frames, retained from threads");
    assert_eq!(threads, json(r#"[[1, "0x4000", 1, 16]]"#), "two numbers and a reference");
    assert_eq!(
        rows(&folder, "select thread, depth, method, line, retained from frames"),
        json(r#"[[1, 0, "work", 7, 16]]"#)
    );
    let roots = "select kind, count(*) from roots group by kind";
    let expected = r#"[["java frame", 1], ["jni global", 1], ["sticky class", 8], ["thread", 1]]"#;
    assert_eq!(rows(&folder, roots), json(expected));
    folder.write("app.hprof", worked_example::dump(&worked_example::example(), FORMS[0]).0);
    let verb = folder.run(&["heap", "threads", "app.hprof", "--sizes", "raw", "-o", "json"]);
    let count = json(&verb.stdout)["threads"].as_array().expect("threads").len();
    assert_eq!(rows(&folder, "select count(*) from threads")[0][0], count);
}

#[test]
fn a_wrong_or_writing_statement_is_refused_with_its_position_before_the_dump_is_read() {
    let folder = Folder::new();
    for (statement, said) in [
        ("select x from objects", "line 1, column 8: no such column: x; objects has address, class, shallow"),
        ("select 1\nfrom\n  object", "line 3, column 3: no such table: object; there are objects, classes, refs"),
        ("select count(*) frm objects", "line 1, column 21: near \"objects\": syntax error"),
        ("select * from objects where class = \"java.lang.String\"", "texts are written in single quotes"),
        ("select fiel(1, 2)", "no such function: fiel; --schema"),
        ("select field(1)", "wrong number of arguments"),
        ("select 1; select 2", "there is more than one statement"),
        ("select 1; drop table objects", "there is more than one statement"),
        ("", "there is no statement"),
        ("/* nothing */", "there is no statement"),
        ("attach '/tmp/x' as y", "ATTACH is not allowed: a query may only read"),
        ("pragma temp_store_directory='/'", "PRAGMA temp_store_directory is not allowed"),
        ("select * from pragma_database_list", "the table pragma_database_list is not allowed"),
        ("select load_extension('x.so')", "load_extension() is not allowed"),
        ("insert into objects values (1)", "is not allowed: a query may only read"),
        ("create table t(a)", "is not allowed: a query may only read"),
        ("create virtual table t using fts5(a)", "is not allowed: a query may only read"),
        ("vacuum into '/tmp/x'", "a query may only read"),
        ("begin", "a transaction is not allowed"),
        ("delete from objects", "table objects may not be modified"),
        ("update objects set class='x'", "table objects may not be modified"),
    ] {
        // The dump does not exist: nobody looks.
        let answer = folder.run(&["heap", "sql", "none.hprof", statement]);
        assert_eq!((answer.code, answer.stdout.as_str()), (Some(2), ""), "{statement}: {answer}");
        assert!(answer.stderr.contains(said), "{statement}: {answer}");
        assert_eq!(answer.stderr.lines().count(), 1, "{answer}");
    }
    let none = folder.run(&["heap", "sql", "none.hprof", "select 1"]);
    assert_eq!(none.code, Some(3), "{none}");
}

#[test]
fn an_error_in_the_middle_leaves_no_answer_and_a_bound_is_kept() {
    let folder = folder();
    for (statement, said) in [
        ("select field(class, 'x') from objects", "the first argument is no address"),
        ("select field(address, 'a..b') from objects", "is no path of fields"),
        ("select sum(9223372036854775807) from objects", "integer overflow"),
        ("select zeroblob(1000000000)", "string or blob too big"),
        (
            "with recursive t(a) as (select zeroblob(60000000) union all select a from t) select group_concat(hex(a)) from t",
            "too big",
        ),
    ] {
        let answer = sql(&folder, statement, &["-f", "out.txt"]);
        assert_eq!((answer.code, answer.stdout.as_str()), (Some(2), ""), "{statement}: {answer}");
        assert!(answer.stderr.contains(said), "{statement}: {answer}");
        assert_eq!(folder.names("."), ["app.hprof"], "{statement}");
    }
}

#[test]
fn a_large_sort_is_bounded_and_leaves_no_file() {
    let folder = folder();
    let many = "with recursive n(i) as (select 1 union all select i+1 from n where i < 300000) \
                select printf('%.200c', 'x') || i from n order by 1 desc";
    let answer = sql(&folder, many, &["-o", "csv", "--top", "1"]);
    assert_eq!(answer.code, Some(0), "{answer}");
    assert!(answer.stdout.ends_with("x99999\n"), "{answer}");
    assert_eq!(answer.stderr, "weighbridge: note: 299,999 of 300,000 rows are left out (--top)\n");
    assert_eq!(folder.names("."), ["app.hprof"]);
}

#[test]
fn a_field_that_no_object_has_gets_a_warning() {
    let folder = folder();
    let of = |field: &str| {
        sql(&folder, &format!("select field(address,'{field}') from objects where class='java.util.HashMap'"), &[])
    };
    let slip = of("sise");
    assert_eq!(
        (slip.code, slip.stderr.as_str()),
        (Some(0), "weighbridge: warning: no object that was asked has a field 'sise'\n")
    );
    assert_eq!(of("size").stderr, "");
    assert_eq!(of("table[2].user").stderr, "", "null");
}

#[test]
fn texts_are_shown_on_standard_output_and_redacted_in_what_is_passed_on() {
    let folder = folder();
    let asked = "select s.text, upper(s.text), o.class, s.address from strings s join objects o using (address) \
                 where s.text like 'jdbc:%'";
    let shown = sql(&folder, asked, &[]);
    assert!(shown.stdout.contains("jdbc:ann:secret") && shown.stdout.contains("do not pass this on unread"), "{shown}");
    let hidden = |answer: &Answer| {
        let secret = answer.stdout.to_lowercase().contains("ann");
        assert!(!secret && answer.stdout.contains("[15 chars #"), "{answer}");
        assert!(answer.stdout.contains("java.lang.String") && answer.stdout.contains("0x3000"), "{answer}");
    };
    for form in ["json", "csv", "html"] {
        hidden(&sql(&folder, asked, &["-o", form]));
        let plain = sql(&folder, asked, &["-o", form, "--no-redact"]);
        assert!(plain.stdout.contains("jdbc:ann:secret"), "{plain}");
    }
    hidden(&sql(&folder, asked, &["--redact"]));
    let file = sql(&folder, asked, &["-f", "out.txt"]);
    assert_eq!(file.code, Some(0), "{file}");
    let text = std::fs::read_to_string(folder.path("out.txt")).expect("the file");
    assert!(!text.contains("secret") && text.contains("texts of the program are redacted"), "{text}");
    // Equal texts have one mark, in every run; a text of the same length has another.
    let csv = || sql(&folder, "select text from strings", &["-o", "csv"]).stdout;
    let marks: Vec<String> = csv().lines().skip(1).map(str::to_owned).collect();
    assert_eq!((marks.len(), marks[0] == marks[1], marks[0] == marks[2]), (3, true, false), "{marks:?}");
    assert_eq!(csv().lines().skip(1).collect::<Vec<_>>(), marks);
    // Another dump, another key.
    let mut other = dump(0);
    let at = other.windows(3).position(|bytes| bytes == b"bob").expect("bob");
    other[at] = b'r';
    folder.write("app.hprof", other);
    assert!(!csv().contains(&marks[0]), "{marks:?}");
    // A query that asks for no text is not touched.
    let names = sql(&folder, "select class || '!' from objects where class like '%Admin'", &["-o", "csv"]);
    assert_eq!(names.stdout, "class || '!'\ncom.acme.Admin!\n");
}

#[test]
fn csv_defuses_formulas_and_json_keeps_types() {
    let folder = folder();
    let odd = "select '=1+1' a, null b, 1.5 c, -3 d, x'00ff' e, 'a\"b,c' f";
    assert_eq!(sql(&folder, odd, &["-o", "csv"]).stdout, "a,b,c,d,e,f\n'=1+1,,1.5,-3,00ff,\"a\"\"b,c\"\n");
    assert_eq!(
        sql(&folder, odd, &["-o", "csv", "--raw-cells"]).stdout.lines().nth(1),
        Some("=1+1,,1.5,-3,00ff,\"a\"\"b,c\"")
    );
    assert_eq!(rows(&folder, odd), json(r#"[["=1+1", null, 1.5, -3, "00ff", "a\"b,c"]]"#));
    let report = json(&sql(&folder, "select address, shallow, 1 from objects limit 1", &["-o", "json"]).stdout);
    assert_eq!(
        report["columns"],
        json(r#"[{"name": "address", "kind": "address"}, {"name": "shallow", "kind": "bytes"}, {"name": "1"}]"#)
    );
    assert_eq!((&report["values"], &report["dump"]["objects"]), (&"none".into(), &report["dump"]["objects"]));
    let few = sql(&folder, "select 1 from objects", &["--top", "2"]);
    assert!(few.stdout.contains("more (--top)"), "{few}");
    let limited = sql(&folder, "select 1 from objects", &["--limit", "2", "-o", "csv"]);
    assert_eq!(limited.stdout, "1\n1\n1\n");
}

#[test]
fn a_cut_or_hostile_dump_gives_what_is_there() {
    let folder = Folder::new();
    let whole = dump(0);
    let queries = [
        "select class, retained from objects",
        "select source, target, field from refs",
        "select text, length from strings",
        "select value(address, 'user') from objects",
        "select * from dominators",
        "select * from classes",
        "select * from frames",
        "select * from roots",
        "select * from unreachable",
    ];
    // Cut anywhere, and with a byte changed: an answer or one line, never a panic.
    for at in (0..whole.len()).step_by(211) {
        let mut changed = whole.clone();
        changed[at] ^= 0x55;
        for (bytes, what) in [(&whole[..at], "cut"), (&changed[..], "changed")] {
            folder.write("app.hprof", bytes);
            let query = queries[at % queries.len()];
            let answer = folder.run(&["heap", "sql", "app.hprof", query]);
            assert!(matches!(answer.code, Some(0 | 3)), "{what} at {at}: {answer}");
        }
    }
}

#[cfg(unix)]
#[test]
fn a_signal_ends_a_query_that_would_not_end() {
    use std::os::unix::process::ExitStatusExt;
    let folder = folder();
    let endless = "with recursive n(i) as (select 1 union all select i+1 from n) select max(i) from n";
    let mut command = folder.command();
    command.args(["heap", "sql", "app.hprof", endless, "-f", "out.txt"]);
    let mut child = command.stderr(std::process::Stdio::piped()).spawn().expect("the binary starts");
    // Its sort file, or nothing: it runs when its dump is open and its processor time grows.
    let stat = format!("/proc/{}/stat", child.id());
    loop {
        let text = std::fs::read_to_string(&stat).expect("it runs");
        let ticks: u64 =
            text.rsplit(')').next().expect("fields").split(' ').nth(12).expect("utime").parse().expect("a number");
        if ticks > 20 {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).expect("a signal");
    let status = child.wait().expect("it ends");
    assert_eq!(status.signal(), Some(2), "{status}");
    assert_eq!(folder.names("."), ["app.hprof"], "no partial answer");
}
