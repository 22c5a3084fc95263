//! Semantic trees that programs make by hand, through the public methods of the frameworks, against those of the rules.

use std::fs;

use weighbridge_tests::{Jdk, compile, ends};

use crate::program::Program;

/// Thread pools have no names by hand, but are components.
const POOLS: &str = "version = 1\n[components]\n\
    executors = { instances = \"java.util.concurrent.ThreadPoolExecutor\" }\n\
    forks = { instances = \"java.util.concurrent.ForkJoinPool\" }\n";

/// The semantic bytes of every component that was made by hand are found without configuration, within 2 %: of 4 KiB at
/// least.
fn compare(program: &Program, jdk: &Jdk, arguments: &[&str], frameworks: &[&str], at_least: usize) {
    let [plain, by_hand] = program.dumps(jdk, arguments);
    let pools = program.folder.path().join("pools.toml");
    fs::write(&pools, POOLS).expect("the configuration");
    let pools = pools.to_str().expect("UTF-8");
    let by_rules = program.components(&plain, &[]);
    assert_eq!(by_rules.frameworks(), frameworks);
    let by_hand = program.components(&by_hand, &["--no-frameworks", "--config", pools]);
    let found = by_rules.semantic();
    let mut compared = 0;
    for (name, bytes) in by_hand.semantic() {
        if name == "executors" || name == "forks" {
            continue;
        }
        let held = *found.get(name).unwrap_or_else(|| panic!("Java {}: no {name} in {found:#?}", jdk.version));
        let difference = held.abs_diff(bytes);
        assert!(difference * 50 <= bytes.max(4096), "Java {}: {name} holds {held}, by hand {bytes}", jdk.version);
        compared += 1;
    }
    println!("Java {}: {compared} components of {frameworks:?} are as by hand", jdk.version);
    assert!(compared >= at_least, "only {compared}");
}

#[test]
fn two_web_applications_of_tomcat_have_their_classes_and_sessions() {
    let [oldest, newest] = ends(11);
    for (jdk, version) in [(oldest, "9.0.98"), (newest, "10.1.34")] {
        let tomcat = format!("org.apache.tomcat.embed:tomcat-embed-core:{version}");
        let program = Program::new("tomcat", "Sites", &[&tomcat]);
        let site = compile("frameworks-site", &[], program.folder.path());
        compare(&program, jdk, &[site.to_str().expect("UTF-8")], &["pools", "tomcat"], 20);
        let report = program.components(&program.folder.path().join("plain.hprof"), &[]);
        assert_eq!(report.nodes("tomcat.context"), ["/blog", "/shop"]);
        // The static field, and sessions of 10,000, 20,000 and so on.
        report.holds("tomcat.context[/shop]", 200_000 + 60_000, 30_000);
        report.holds("tomcat.context[/blog]", 500_000 + 30_000, 30_000);
        report.holds("tomcat.context[/shop].session", 60_000, 1_500);
        let sessions = report.nodes("tomcat.context[/shop].session");
        let hashed = |name: &String| name.len() == 8 && name.chars().all(|digit| digit.is_ascii_hexdigit());
        assert!(sessions.len() == 3 && sessions.iter().all(hashed), "ids of sessions are secrets: {sessions:?}");
    }
}

#[test]
fn a_session_factory_has_the_regions_of_its_second_level_cache() {
    let [oldest, newest] = ends(11);
    let old = [
        "org.hibernate:hibernate-core:5.6.15.Final",
        "org.hibernate:hibernate-jcache:5.6.15.Final",
        "com.github.ben-manes.caffeine:jcache:2.9.3",
        "com.h2database:h2:2.1.214",
    ];
    let new = [
        "org.hibernate.orm:hibernate-core:6.6.4.Final",
        "org.hibernate.orm:hibernate-jcache:6.6.4.Final",
        "com.github.ben-manes.caffeine:jcache:3.1.8",
        "com.h2database:h2:2.3.232",
    ];
    for (jdk, artifacts) in [(oldest, old), (newest, new)] {
        let program = Program::new("hibernate", "Notes", &artifacts);
        compare(&program, jdk, &[], &["hibernate", "caches", "pools"], 7);
        let report = program.components(&program.folder.path().join("plain.hprof"), &[]);
        // 40 notes and drafts, a byte a character.
        report.holds("hibernate.factory[notes].region[Note]", 400_000, 30_000);
        report.holds("hibernate.factory[notes].region[Draft]", 80_000, 30_000);
    }
}

#[test]
fn a_spring_context_has_its_singletons_and_prototypes() {
    let [oldest, newest] = ends(17);
    for (jdk, version) in [(oldest, "5.3.39"), (newest, "6.2.1")] {
        let spring = format!("org.springframework:spring-context:{version}");
        let program = Program::new("spring", "Beans", &[&spring]);
        compare(&program, jdk, &[], &["spring"], 15);
        let report = program.components(&program.folder.path().join("plain.hprof"), &[]);
        report.holds("spring.context[orders].bean[catalog]", 300_000, 100);
        report.holds("spring.context[orders].bean[orderService]", 150_000, 100);
        report.holds("spring.context[orders].bean[rates]", 80_000, 100);
        report.holds("spring.context[orders].prototype[report]", 150_000, 150);
    }
}

#[test]
fn a_spring_boot_application_needs_no_configuration() {
    let [_, newest] = ends(17);
    let boot = "org.springframework.boot:spring-boot-starter";
    let artifacts = [
        &format!("{boot}-web:3.4.1"),
        &format!("{boot}-data-jpa:3.4.1"),
        "com.h2database:h2:2.3.232",
        "org.hibernate.orm:hibernate-jcache:6.6.4.Final",
        "com.github.ben-manes.caffeine:jcache:3.1.8",
    ];
    let program = Program::new("boot", "com.acme.clinic.Clinic", &artifacts);
    let frameworks = ["jdbc", "hibernate", "caches", "pools", "tomcat", "spring"];
    compare(&program, newest, &[], &frameworks, 200);
    let report = program.components(&program.folder.path().join("plain.hprof"), &[]);
    report.holds("spring.context[application].bean[clinic.Visits]", 400_000, 100);
    report.holds("spring.context[application].prototype[report]", 150_000, 150);
    report.holds("tomcat.context[application].session", 300_000, 3_000);
    let sessions = report.nodes("tomcat.context[application].session");
    assert_eq!(sessions.len(), 3);
    for session in sessions {
        let cart = format!("tomcat.context[application].session[{session}].attribute[scopedTarget.cart]");
        report.holds(&cart, 100_000, 100);
    }
    let factory = &report.nodes("hibernate.factory")[0];
    report.holds(&format!("hibernate.factory[{factory}].region[owners]"), 300_000, 30_000);
}
