//! Programs that give the libraries memory of known sizes.

use weighbridge_tests::ends;

use crate::program::{Program, Report};

#[test]
fn a_web_application_of_jetty_has_its_sessions() {
    let [oldest, newest] = ends(17);
    let old = ("org.eclipse.jetty:jetty-servlet:11.0.24", "org.eclipse.jetty.servlet");
    let new = ("org.eclipse.jetty.ee10:jetty-ee10-servlet:12.0.16", "org.eclipse.jetty.ee10.servlet");
    for (jdk, (artifact, package)) in [(oldest, old), (newest, new)] {
        let report = Program::new("jetty", "Site", &[artifact]).found(jdk, &[package]);
        assert_eq!(report.frameworks(), ["pools", "jetty"]);
        report.holds("jetty.context[/shop]", 300_000, 20_000);
        let sessions = report.nodes("jetty.context[/shop].session");
        assert!(sessions.len() == 3 && sessions.iter().all(|name| name.len() == 8), "{sessions:?}");
        for session in sessions {
            report.holds(&format!("jetty.context[/shop].session[{session}].attribute[cart]"), 100_000, 100);
        }
    }
}

#[test]
fn caches_thread_pools_and_connection_pools_hold_what_the_program_gave_them() {
    let [oldest, newest] = ends(11);
    let old = [
        "com.github.ben-manes.caffeine:caffeine:2.9.3",
        "com.google.guava:guava:31.1-jre",
        "com.zaxxer:HikariCP:4.0.3",
        "org.apache.tomcat:tomcat-jdbc:9.0.98",
        "org.apache.commons:commons-dbcp2:2.9.0",
        "com.h2database:h2:2.1.214",
    ];
    let new = [
        "com.github.ben-manes.caffeine:caffeine:3.1.8",
        "com.google.guava:guava:33.4.0-jre",
        "com.zaxxer:HikariCP:6.2.1",
        "org.apache.tomcat:tomcat-jdbc:10.1.34",
        "org.apache.commons:commons-dbcp2:2.13.0",
        "com.h2database:h2:2.3.232",
    ];
    for (jdk, artifacts) in [(oldest, old), (newest, new)] {
        let report = Program::new("libraries", "Libraries", &artifacts).found(jdk, &[]);
        assert_eq!(report.frameworks(), ["jdbc", "caches", "pools"]);
        assert_eq!((report.nodes("caches.caffeine").len(), report.nodes("caches.guava").len()), (2, 1));
        report.holds("caches.caffeine", 100_000 + 200_000, 6_000);
        report.holds("caches.guava", 300_000, 6_000);
        // 20 tasks wait in each.
        report.holds("pools.executor[pool-1-thread-].queue", 100_000, 3_000);
        // Arrays of 8,192 slots in Java 11.
        report.holds(&format!("pools.fork-join[{}].queue", fork_join(&report)), 120_000, 70_000);
        report.holds("jdbc.hikari[orders].connections", 200, 20_000);
        report.holds("jdbc.tomcat[stock].connections", 200, 20_000);
        report.holds("jdbc.dbcp[com.acme:name=bills].connections", 200, 20_000);
    }
}

/// The pool of the program, not the common one, which has no name.
fn fork_join(report: &Report) -> String {
    report.nodes("pools.fork-join").into_iter().find(|name| name.starts_with("ForkJoinPool-1")).expect("the pool")
}

#[test]
fn clients_of_kafka_have_what_they_are_made_with() {
    let [oldest, newest] = ends(11);
    for (jdk, version) in [(oldest, "2.8.2"), (newest, "3.9.0")] {
        let kafka = format!("org.apache.kafka:kafka-clients:{version}");
        let report = Program::new("kafka", "Clients", &[&kafka]).found(jdk, &[]);
        assert_eq!(report.frameworks(), ["kafka"]);
        report.holds("kafka.producer[orders]", 70_000 + 80_000, 40_000);
        report.holds("kafka.consumer[bills]", 90_000 + 60_000, 40_000);
        report.holds("kafka.producer[orders].batches", 100, 10_000);
    }
}
