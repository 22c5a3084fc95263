//! Reads configurations, and refuses wrong ones.

use weighbridge_config::{
    Config, ConfigErrorKind, Figure, Increase, PatternSet, Subject, Suspend, Track, default_hubs,
};
use weighbridge_contract::RUNTIME_OPTIONS;

const FULL: &str = r#"
version = 1
[instrument]
include = ["com.acme.**", "org.h2.mvstore.Page"]
exclude = ["com.acme.generated.**"]
annotated = ["com.acme.Weighed"]
extends = ["com.acme.Base"]
[[target]]
class = "com.acme.cache.LruCache"
fields = ["entries"]
[[target]]
class = "com.acme.Event*"
track = "count"
[measure]
exclude = ["java.lang.ClassLoader", "org.slf4j.**"]
hubs = false
stop = ["com.acme.Registry", "com.acme.bus.**"]
at = ["exit", "every 10s"]
budget = { references = 20000, cpu_percent = 5 }
pause = "250ms"
gc = "never"
soft = true
holders = false
ages = [0, 1, 8]
threads = ["worker-*", "main"]
sites = 20
walk = { memory = "8m" }
[measure.peak]
mode = "peak-with-tolerance"
source = "histogram"
tolerance = "16m"
floor = "64M"
interval = "60s"
dump = "peak-%p.hprof"
dumps = 2
dump_growth = 25
[components]
web.session = ["com.acme.web.session.**"]
storage = ["org.h2.**"]
web.other = ["com.acme.web.**"]
"quoted.name" = ["com.acme.**"]
[runtime]
enabled = false
destfile = "target/weigh-%p.wbr"
jmx = true
sessionid = "nightly"
output = "file"
"#;

/// As `FULL`; `tests/shortage.rs` checks what it means.
const SHORTAGE: &str = r#"
[shortage]
retry = ["com.acme.Report.render"]
when = { old_generation = "90%", allocation = "500m", container = "95%", exhausted = true }
permit = { threads = ["worker-*"], scopes = ["job=*"], methods = ["com.acme.Report.*"] }
cancel = { interrupt = true, force = false, fixed = ["java.**"], wait = "2s", per_minute = 6 }
admit = { methods = ["com.acme.Report.*"], wait = "1s" }
[shortage.candidates]
by = "releasable"
measure = "exact"
analyser = "/opt/weighbridge/weighbridge"
least = "2%"
frame = "any"
"#;

#[test]
fn every_key_of_the_reference_is_read() {
    let config = Config::parse(FULL).unwrap();
    assert!(config.include.matches(b"com/acme/a/B"));
    assert!(config.exclude.matches(b"com/acme/generated/B"));
    assert!(config.annotated.matches(b"com/acme/Weighed"));
    assert!(config.extends.matches(b"com/acme/Base"));
    assert_eq!(config.targets[0].fields, ["entries"]);
    assert_eq!(config.targets[0].track, Track::Live);
    assert_eq!(config.targets[1].track, Track::Count);
    assert_eq!(config.target_classes.first_match(b"com/acme/Events"), Some(1));
}

#[test]
fn only_runtime_options_that_are_set_become_settings() {
    let config = Config::parse(FULL).unwrap();
    let expected = [
        ("enabled", "false"),
        ("destfile", "target/weigh-%p.wbr"),
        ("dumponexit", "true"),
        ("interval", "10s"),
        ("sessionid", "nightly"),
        ("output", "file"),
        ("jmx", "true"),
        ("references", "20000"),
        ("cpu_percent", "5"),
        ("pause", "250ms"),
        ("gc", "never"),
        ("soft", "true"),
        ("exclude", "java.lang.ClassLoader;org.slf4j.**"),
        ("hubs", "com.acme.Registry;com.acme.bus.**"),
        ("holders", "false"),
        ("walk_memory", "8m"),
        ("ages", "0;1;8"),
        ("threads", "worker-*;main"),
        ("sites", "20"),
        ("peak", "peak-with-tolerance"),
        ("peak_source", "histogram"),
        ("peak_tolerance", "16m"),
        ("peak_floor", "64M"),
        ("peak_interval", "1m"),
        ("peak_dump", "peak-%p.hprof"),
        ("peak_dumps", "2"),
        ("peak_dump_growth", "25"),
    ];
    let settings = config.runtime_settings().iter().map(|(key, value)| (*key, &**value));
    assert_eq!(settings.collect::<Vec<_>>(), expected);
    assert_eq!(but_hubs(&Config::parse("version = 1").unwrap()), []);
}

/// The runtime checks its options against this list; a key that is missing here cannot be set in a file.
#[test]
fn every_option_of_the_runtime_can_be_set() {
    // The reader is the program that runs, not a choice.
    let mut known: Vec<&str> = RUNTIME_OPTIONS.iter().map(|option| option.key).filter(|key| *key != "reader").collect();
    let config = Config::parse(&(FULL.to_owned() + SHORTAGE)).unwrap();
    let mut settable: Vec<&str> = config.runtime_settings().iter().map(|(key, _)| *key).collect();
    known.sort_unstable();
    settable.sort_unstable();
    assert_eq!(settable, known);
}

#[test]
fn measuring_on_request_alone_has_no_measurement_at_exit() {
    let config = Config::parse("version = 1\n[measure]\nat = [\"request\"]").unwrap();
    assert_eq!(but_hubs(&config), [("dumponexit", "false")]);
}

fn but_hubs(config: &Config) -> Vec<(&'static str, &str)> {
    let settings = config.runtime_settings().iter().map(|(key, value)| (*key, &**value));
    settings.filter(|(key, _)| *key != "hubs").collect()
}

/// The shipped rules are part of the configuration: the runtime has no rules of its own.
#[test]
fn hubs_are_the_shipped_ones_without_those_that_the_file_removes_and_with_those_that_it_adds() {
    let hubs = |measure: &str| {
        let config = Config::parse(&format!("version = 1\n[measure]\n{measure}")).unwrap();
        config.runtime_settings().iter().find(|(key, _)| *key == "hubs").expect("hubs").1.clone()
    };
    let shipped: Vec<String> = default_hubs().patterns().iter().map(|pattern| pattern.text().to_owned()).collect();
    assert!(shipped.contains(&"java.lang.ClassLoader".to_owned()) && shipped.len() > 20);
    assert_eq!(hubs(""), shipped.join(";"));
    assert_eq!(hubs("stop = [\"com.acme.Registry\"]"), shipped.join(";") + ";com.acme.Registry");
    assert_eq!(hubs("hubs = false\nstop = [\"com.acme.Registry\"]"), "com.acme.Registry");
    assert_eq!(hubs("hubs = false"), "none");
}

#[test]
fn components_keep_the_order_of_the_file_even_where_toml_groups_dotted_keys() {
    let components = Config::parse(FULL).unwrap().components;
    assert_eq!(components.names(), ["web.session", "storage", "web.other", "quoted.name"]);
    assert_eq!(components.of(b"com/acme/web/session/S"), Some(0));
    assert_eq!(components.of(b"com/acme/web/Page"), Some(2));
    assert_eq!(components.of(b"com/acme/Other"), Some(3));
    assert_eq!(components.of(b"java/lang/String"), None);
}

#[test]
fn a_component_is_a_list_of_patterns_or_a_rule_and_may_have_parts() {
    let text = "version = 1\n[components]\nboot = { loaders = [\"boot\"], classes = [\"java.util.**\"] }\n\
        [components.web]\nclasses = [\"com.acme.web.*\"]\nsuspend = \"none\"\npage = [\"com.acme.web.page.*\"]\n\
        session = { instances = \"com.acme.web.Session\", name_field = \"id\" }\n\
        [components.cache]\npaths = [\"com.acme.Registry.all[].cache\"]\nmodules = [\"com.acme.*\"]\n";
    let components = Config::parse(text).unwrap().components;
    assert_eq!(components.names(), ["boot", "web", "web.page", "web.session", "cache"]);
    let [boot, web, page, session, cache] = components.rules() else { panic!("five rules") };
    let texts = |set: &Option<PatternSet>| {
        let patterns = set.iter().flat_map(|set| set.patterns()).map(|pattern| pattern.text().to_owned());
        patterns.collect::<Vec<_>>()
    };
    assert_eq!((texts(&boot.loaders), texts(&boot.classes)), (vec!["boot".into()], vec!["java.util.**".into()]));
    assert_eq!((web.suspend, page.suspend), (Suspend::None, Suspend::Incoming));
    assert_eq!(session.instances.as_ref().map(|pattern| pattern.text()), Some("com.acme.web.Session"));
    assert_eq!(session.name_field, ["id"]);
    assert_eq!(cache.paths, ["com.acme.Registry.all[].cache"]);
    assert_eq!(texts(&cache.modules), ["com.acme.*"]);
    assert_eq!(components.of(b"com/acme/web/page/P"), Some(2));
    assert_eq!(components.of(b"com/acme/web/W"), Some(1));
    assert_eq!(components.of(b"java/util/ArrayList"), None, "a class file does not tell its loader");
}

#[test]
fn a_component_may_begin_at_the_nodes_above_it_and_make_nodes_of_entries() {
    let text = "version = 1\nframeworks = false\n[components.site]\ninstances = \"com.acme.Site\"\n\
        name_field = [\"config.name\", \"id\"]\npaths = [\".pages[].body\"]\n\
        [components.site.session]\ninstances = \"com.acme.Session\"\nwithin = \"manager.site\"\nname_field = \"id\"\n\
        secret = true\n[components.site.bean]\nentries = [\".beans\", \"com.acme.Site.all\"]\n\
        only = { scope = \"prototype\" }\ninstances_of = [\"type.resolved\"]\n";
    let config = Config::parse(text).unwrap();
    assert!(!config.frameworks);
    assert!(Config::parse("version = 1").unwrap().frameworks);
    let [site, session, bean] = config.components.rules() else { panic!("three rules") };
    assert_eq!(
        (&site.name_field[..], &site.paths[..]),
        (&["config.name".into(), "id".into()][..], &[".pages[].body".into()][..])
    );
    assert_eq!((session.within.as_deref(), session.secret, site.secret), (Some("manager.site"), true, false));
    assert_eq!(bean.entries, [".beans", "com.acme.Site.all"]);
    assert_eq!(bean.only, [("scope".to_owned(), "prototype".to_owned())]);
    assert_eq!(bean.instances_of, ["type.resolved"]);
}

#[test]
fn the_digest_is_the_sha_256_of_the_text() {
    // printf 'version = 1' | sha256sum
    let digest = Config::parse("version = 1").unwrap().digest().to_owned();
    assert_eq!(digest, "4eab33c0b9ba9ded10e2a046539031d60df90438efad3533d7ad16b6f61da112");
}

#[test]
fn a_wrong_configuration_is_refused_at_its_line_and_column() {
    let wrong = [
        "",
        "version = 2\nnew_key = true",
        "version = 0",
        "version = \"1\"",
        "version = 1\n[instrument]\ninculde = [\"a.B\"]",
        "version = 1\n[instrumnet]\n",
        "version = 1\n[measure]\nbudget = { references = 5, cpu = 1 }",
        "version = 1\nqqqqqqqqqqqq = 1",
        "version = 1\n[instrument]\ninclude = \"com.acme.**\"",
        "version = 1\n[instrument]\ninclude = [\n  \"a.B\",\n  7,\n]",
        "version = 1\n[instrument]\ninclude = [\"com/acme/**\"]",
        "version = 1\n[components]\na = [\"b..c\"]",
        "version = 1\n[components]\nweb.session = 5",
        "version = 1\n[components]\n\"a.b\" = [\"x.Y\"]\na.b = [\"x.Z\"]",
        "version = 1\n[components]\n\"(none)\" = []",
        "version = 1\n[components]\nweb = \"com.acme.**\"",
        "version = 1\n[components]\n\"web.\" = []",
        "version = 1\n[components]\nweb = { clases = [\"a.B\"] }",
        "version = 1\n[components]\nweb = { classes = [\"a.B\"], colour = \"red\" }",
        "version = 1\n[components]\nweb = { classes = \"a.B\" }",
        "version = 1\n[components]\nweb = { instances = [\"a.B\"] }",
        "version = 1\n[components]\nweb = { classes = [\"a.B\"], name_field = \"name\" }",
        "version = 1\n[components]\nweb = { instances = \"a.B\", name_field = \"a..b\" }",
        "version = 1\n[components]\nweb = { instances = \"a.B\", name_field = 5 }",
        "version = 1\n[components]\nweb = { instances = \"a.B\", name_field = true }",
        "version = 1\n[components]\nweb = { instances = \"a.B\", secret = true }",
        "version = 1\n[components]\nweb = { instances = \"a.B\", name_field = \"id\", secret = \"yes\" }",
        "version = 1\n[components]\nweb = { instances = \"a.B\", entries = [\".all\"] }",
        "version = 1\n[components]\nweb = { instances = \"a.B\", witin = \"parent\" }",
        "version = 1\n[components]\nweb = { classes = [\"a.B\"], within = \"parent\" }",
        "version = 1\n[components]\nweb = { entries = [\"a.B.all[0]\"] }",
        "version = 1\n[components]\nweb = { paths = [\".\"] }",
        "version = 1\n[components]\nweb = { paths = [\"a.B.c\", \".all\"] }",
        "version = 1\n[components]\nweb.page.x = [\"a.B\"]\nweb.page.y = { entries = [\".pages\"] }",
        "version = 1\n[components]\nweb = { instances = \"a.B\", within = \"parent\" }",
        "version = 1\n[components]\nweb = { paths = [\".a\"], instances_of = [\"b\"] }",
        "version = 1\n[components]\nweb = { paths = [\".a\"], only = { scope = \"b\" } }",
        "version = 1\n[components]\nweb = { entries = [\".a\"], only = { scope = [\"b\"] } }",
        "version = 1\n[components]\nweb = { entries = [\".a\"], only = \"b\" }",
        "version = 1\n[components]\nweb = { suspend = \"both\" }",
        "version = 1\n[components]\nweb = { classes = [\"a.B\"], suspend = \"all\" }",
        "version = 1\n[components]\nweb = { paths = [\"Registry\"] }",
        "version = 1\n[components]\nweb = { paths = [\"a.B.c\", \"a.B.c[0]\"] }",
        "version = 1\n[components]\nweb = { modules = [\"java/sql\"] }",
        "version = 1\n[[target]]\nfields = [\"a\"]",
        "version = 1\n[[target]]\nclass = \"a.B\"\ntrack = \"dead\"",
        "version = 1\n[[target]]\nclass = \"a.B\"\nfields = [\"a.b\"]",
        "version = 1\n[measure]\nat = [\"sometimes\"]",
        "version = 1\n[measure]\nat = [\"every 10 parsecs\"]",
        "version = 1\n[measure]\nat = [\"exit\", \"exit\"]",
        "version = 1\n[measure]\nbudget = { references = 0 }",
        "version = 1\n[measure]\nbudget = { cpu_percent = 200 }",
        "version = 1\n[measure]\nexclude = [\"a b\"]",
        "version = 1\n[measure]\ngc = \"often\"",
        "version = 1\n[runtime]\ndestfile = \"\"",
        "version = 1\n[measure]\nages = [1, 2]",
        "version = 1\n[measure]\nthreads = [\"a;b\"]",
        "version = 1\n[measure]\nsites = 1001",
        "version = 1\n[measure]\npeak = { source = \"walk\" }",
        "version = 1\n[measure]\npeak = { mode = \"highest\" }",
        "version = 1\n[measure]\npeak = { mode = \"threshold\", tolerance = \"1.5m\" }",
        "version = 1\n[measure]\npeak = { mode = \"interval\", interval = \"often\" }",
        "version = 1\n[measure]\npeak = { mode = \"peak-only\", dump = \"\" }",
        "version = 1\nversion = 1",
        "version = 1\n[instrument\n",
    ];
    let messages: Vec<String> =
        wrong.iter().map(|text| format!("{text}\n  => {}\n", Config::parse(text).unwrap_err())).collect();
    insta::assert_snapshot!(messages.join("\n"));
}

#[test]
fn budgets_are_read_in_the_units_of_their_figures() {
    let config = Config::parse(
        r#"version = 1
[[budget]]
component = "cache"
figure = "deep_bytes"
max = "64 MiB"
max_increase = "10 %"
[[budget]]
class = "com.acme.**"
figure = "max_age"
max = 16
[[budget]]
tag = "request=GET /orders?a=b"
figure = "live"
max_increase = 100
"#,
    )
    .unwrap();
    let [cache, ages, tag] = &config.budgets[..] else { panic!("{:?}", config.budgets) };
    assert!(matches!(&cache.subject, Subject::Component(name) if name == "cache"));
    assert_eq!((cache.figure, cache.max, cache.line), (Figure::DeepBytes, Some(64 << 20), 2));
    assert_eq!(cache.max_increase, Some(Increase::Part(0.1)));
    assert!(matches!(&ages.subject, Subject::Class(pattern) if pattern.matches(b"com/acme/a/B")));
    assert_eq!((ages.figure, ages.max, ages.max_increase, ages.line), (Figure::MaxAge, Some(16), None, 7));
    assert!(matches!(&tag.subject, Subject::Tag { key, value } if key == "request" && value == "GET /orders?a=b"));
    assert_eq!(tag.max_increase, Some(Increase::By(100)));
}

#[test]
fn a_wrong_budget_is_refused_at_its_line_and_column() {
    let wrong = [
        "figure = \"live\"\nmax = 1",
        "class = \"a.B\"\ncomponent = \"c\"\nfigure = \"live\"\nmax = 1",
        "class = \"a..B\"\nfigure = \"live\"\nmax = 1",
        "class = \"a.B\"\nmax = 1",
        "class = \"a.B\"\nfigure = \"lives\"\nmax = 1",
        "class = \"a.B\"\nfigure = \"live\"",
        "class = \"a.B\"\nfigure = \"live\"\nmaximum = 1",
        "class = \"a.B\"\nfigure = \"live\"\nmax = \"1 MiB\"",
        "class = \"a.B\"\nfigure = \"live\"\nmax = -1",
        "class = \"a.B\"\nfigure = \"deep_bytes\"\nmax = \"64 MB\"",
        "class = \"a.B\"\nfigure = \"deep_bytes\"\nmax_increase = \"-5 %\"",
        "class = \"a.B\"\nfigure = \"peak_deep_bytes\"\nmax = 1",
        "tag = \"request\"\nfigure = \"live\"\nmax = 1",
        "tag = \"request=a\"\nfigure = \"max_age\"\nmax = 1",
    ];
    let messages: Vec<String> = wrong
        .iter()
        .map(|text| {
            format!("{text}\n  => {}\n", Config::parse(&format!("version = 1\n[[budget]]\n{text}")).unwrap_err())
        })
        .collect();
    insta::assert_snapshot!(messages.join("\n"));
}

#[test]
fn components_that_budgets_and_round_trips_name_are_those_that_the_file_defines_or_else_the_recorded_ones() {
    let named = "version = 1\n[[round_trip]]\nname = \"login\"\ncomponent = \"web.sesion\"\n\
        [[budget]]\ncomponent = \"(none)\"\nfigure = \"live\"\nmax = 1\n\
        [[budget]]\nfigure = \"live\"\nmax = 1\ncomponent = \"zzz\"\n\
        [[budget]]\ncomponent = \"cache\"\nfigure = \"live\"\nmax = 1\n";
    let texts = |errors: Vec<weighbridge_config::Error>| errors.iter().map(ToString::to_string).collect::<Vec<_>>();
    let alone = Config::parse(named).unwrap();
    assert_eq!(texts(alone.undefined_components()), [""; 0], "nothing is defined");
    assert_eq!(texts(alone.unrecorded_components([])), [""; 0], "nothing is recorded");
    assert_eq!(
        texts(alone.unrecorded_components(["web", "web.session", "cache"])),
        [
            "line 4, column 13: the recording has no component `web.sesion`; did you mean `web.session`?",
            "line 12, column 13: the recording has no component `zzz`",
        ]
    );
    let defined = format!("{named}[components]\ncache = [\"a.**\"]\n[components.web]\nsession = [\"b.**\"]\n");
    let defined = Config::parse(&defined).unwrap();
    assert_eq!(
        texts(defined.undefined_components()),
        [
            "line 4, column 13: [components] does not define `web.sesion`; did you mean `web.session`?",
            "line 12, column 13: [components] does not define `zzz`",
        ]
    );
    assert_eq!(texts(defined.unrecorded_components(["other"])), [""; 0], "the file itself says what there is");
}

#[test]
fn a_bad_pattern_and_a_bad_configuration_are_different_errors() {
    let kind = |text: &str| Config::parse(text).unwrap_err().kind();
    assert_eq!(kind("version = 1\n[instrument]\ninclude = [\"a..b\"]"), ConfigErrorKind::Pattern);
    assert_eq!(kind("version = 1\n[instrument]\ninclude = [1]"), ConfigErrorKind::Config);
}

#[test]
fn every_example_is_valid() {
    let mut examples = 0;
    for example in std::fs::read_dir(env!("CARGO_MANIFEST_DIR")).unwrap() {
        let path = example.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "toml") && !path.ends_with("Cargo.toml") {
            let config = Config::read(&path).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(config.undefined_components().len(), 0, "{}", path.display());
            examples += 1;
        }
    }
    assert!(examples >= 4, "only {examples} examples");
}

/// The floor of peaks as a setting, or the message that refuses it.
fn floor(text: &str) -> Result<String, String> {
    let config = Config::parse(&format!("version = 1\n[measure.peak]\nmode = \"threshold\"\nfloor = \"{text}\"\n"));
    let config = config.map_err(|error| error.to_string())?;
    let floor = config.runtime_settings().iter().find(|(key, _)| *key == "peak_floor").expect("a floor");
    Ok(floor.1.clone())
}

#[test]
fn a_size_has_at_most_twelve_digits_and_a_unit_and_fits_64_bits() {
    for size in
        ["0", "1024", "512k", "512K", "64m", "64M", "2g", "2G", "999999999999", "999999999999k", "999999999999M"]
    {
        assert_eq!(floor(size).as_deref(), Ok(size));
    }
    // 2^63 - 1 bytes are a little more than 8,589,934,591 GiB.
    assert_eq!(floor("8589934591g").as_deref(), Ok("8589934591g"));
    for wrong in [
        "8589934592g",
        "999999999999G",
        "1000000000000",
        "0000000000001k",
        "",
        "k",
        "-1",
        "-1m",
        "+1x",
        "1.5m",
        "1 m",
        "1kk",
        "1t",
        "m1",
    ] {
        let refused = floor(wrong).expect_err(wrong);
        assert!(refused.contains("line 4") && refused.contains("is no size"), "{wrong}: {refused}");
    }
}

#[test]
fn a_pattern_knows_its_line() {
    let text = "version = 1\n[instrument]\ninclude = [\n  \"a.**\",\n  \"b.**\",\n]\nexclude = [\"a.x.**\"]\n";
    let config = Config::parse(text).unwrap();
    let lines = |set: &PatternSet| set.patterns().iter().map(|pattern| pattern.line()).collect::<Vec<_>>();
    assert_eq!((lines(&config.include), lines(&config.exclude)), (vec![Some(4), Some(5)], vec![Some(7)]));
    let elsewhere = weighbridge_config::Pattern::parse("a.**").unwrap();
    assert_eq!(elsewhere.line(), None);
}

#[test]
fn thousands_of_components_are_read_and_each_class_finds_its_own() {
    // 20,000 took half a minute when each was compared with all others.
    let mut text = "version = 1\n[instrument]\ninclude = [\"com.acme.**\"]\n[components]\n".to_owned();
    for n in 0..20_000 {
        text.push_str(&format!("c{n} = [\"com.acme.C{n}\", \"com.acme.p{n}.**\"]\n"));
    }
    let config = Config::parse(&text).unwrap();
    assert_eq!(config.components.names().len(), 20_000);
    for n in [0, 1, 9_999, 19_999] {
        assert_eq!(config.components.of(format!("com/acme/C{n}").as_bytes()), Some(n));
        assert_eq!(config.components.of(format!("com/acme/p{n}/Any").as_bytes()), Some(n));
    }
    assert_eq!(config.components.of(b"com/acme/C20000"), None);
    let told = weighbridge_config::Selector::new(&config).unmatched();
    assert_eq!(told.len(), 11, "{told:?}");
    assert_eq!(told[0], "instrument.include: \"com.acme.**\" matches no class");
    assert_eq!(told[10], "39991 more patterns match nothing");
}
