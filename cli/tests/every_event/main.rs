//! Traces of every event of real JVMs, replayed.

mod random;
mod real;
mod traced;

use std::fmt::Write;
use std::fs;
use std::process::Command;

use random::Program;
use traced::Traced;
use weighbridge_replay::{Event, Moment, MomentOf};
use weighbridge_tests::{cache, jdks, run, with_own_temporary};

const PROGRAMS: u64 = 10_000;
/// With room for all objects and classes. A collection would put weak references on the JVM's own list, and the thread that takes them from
/// there uses them once more: they would rightly live longer than the program knows.
const NO_COLLECTION: [&str; 5] = ["-XX:+UseSerialGC", "-Xms1500m", "-Xmn1g", "-XX:MetaspaceSize=512m", "Main"];
/// Programs of a class.
const TOGETHER: u64 = 100;

const HEAP: &str = "
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

public final class Heap {
  static Object s0, s1, s2, tick;
  static final VarHandle LEFT, RIGHT;
  static {
    try {
      LEFT = MethodHandles.lookup().findVarHandle(Node.class, \"left\", Object.class);
      RIGHT = MethodHandles.lookup().findVarHandle(Node.class, \"right\", Object.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }
  static void clear() { s0 = null; s1 = null; s2 = null; }
  static void step() { tick = null; }
}
class Node { Object left, right; }
class Gone extends RuntimeException {
  final Object held;
  Gone(Object held) { super(null, null, false, false); this.held = held; }
}
";

fn seed() -> u64 {
    let seed = std::env::var("WEIGHBRIDGE_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(31);
    println!("WEIGHBRIDGE_SEED={seed}");
    seed
}

#[test]
fn deaths_of_random_java_programs_equal_those_by_brute_force_after_every_step() {
    let seed = seed();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let sources = folder.path().join("sources");
    fs::create_dir(&sources).expect("a folder");
    let programs: Vec<Program> = (0..PROGRAMS).map(|n| Program::of(seed * PROGRAMS + n, &format!("p{n}"))).collect();
    let objects: usize = programs.iter().map(|program| program.deaths.len()).sum();
    assert!(objects > 10 * programs.len(), "{objects} objects");
    fs::write(sources.join("Heap.java"), HEAP).expect("a source");
    let mut main = "public final class Main {\n  public static void main(String[] a) {\n".to_owned();
    for (class, together) in programs.chunks(TOGETHER as usize).enumerate() {
        let mut text = format!("final class P{class} {{\n");
        text.push_str(
            "  static Object hold(Object x) { java.util.function.Supplier<Object> s = () -> x; return s; }\n",
        );
        together.iter().flat_map(|program| &program.methods).for_each(|method| text.push_str(method));
        let first = class * TOGETHER as usize;
        text.push_str("  static void all() {\n");
        for number in first..first + together.len() {
            writeln!(text, "    p{number}(); Heap.clear(); Heap.step();").expect("a text");
        }
        text.push_str("  }\n}\n");
        fs::write(sources.join(format!("P{class}.java")), text).expect("a source");
        writeln!(main, "    P{class}.all();").expect("a text");
    }
    main.push_str("  }\n}\n");
    fs::write(sources.join("Main.java"), main).expect("a source");
    let classes = folder.path().join("classes");
    weighbridge_jdk::to_build_with().compile(&[&sources], &classes, &["-Xlint:none"]);
    for jdk in jdks() {
        let traced = Traced::run(jdk, folder.path(), std::slice::from_ref(&classes), &NO_COLLECTION);
        let step = traced.method("Heap", "step");
        let replayed = traced.replay(&[step]);
        let steps: Vec<u64> = replayed
            .moments
            .iter()
            .filter(|moment| matches!(moment.what, MomentOf::Method(_)))
            .map(|moment| moment.event)
            .collect();
        assert_eq!(steps.len(), programs.iter().map(|program| program.steps).sum::<usize>(), "Java {}", jdk.version);
        let is_ours = |site: u32| {
            let site = traced.trace.names().sites.get(&site);
            let method = site.and_then(|site| traced.trace.names().methods.get(&site.method));
            method.is_some_and(|method| method.class.starts_with('P') && !method.class.contains('.'))
        };
        let births = replayed.births().expect("births").map(|life| life.expect("a life"));
        let mut lives = births.filter(|life| is_ours(life.site));
        let mut first = 0;
        for (number, program) in programs.iter().enumerate() {
            for (object, death) in program.deaths.iter().enumerate() {
                let life = lives.next().expect("an object");
                let after = |step: usize| life.lives_after(steps[first + step]);
                let death = death.expect("nothing lives on");
                let born = steps[first..].partition_point(|step| *step < life.born);
                let found = (born..program.steps).find(|step| !after(*step));
                assert_eq!(
                    found,
                    Some(death),
                    "Java {}, seed {}, object {object} {life:?}\n{}",
                    jdk.version,
                    seed * PROGRAMS + number as u64,
                    program.methods.concat()
                );
            }
            first += program.steps;
        }
        assert!(lives.next().is_none(), "Java {}: more objects than there are", jdk.version);
    }
}

/// The constructor has no handler there yet, so nothing tells that it ends.
const CAUGHT: &str = "
public final class Caught {
  static class Base { Base(Object o) {} }
  static final class Sub extends Base {
    Sub() { super(fail()); }
    static Object fail() {
      Token token = new Token();
      token.use();
      throw new IllegalStateException();
    }
  }
  static final class Token { int n; void use() { n++; } }
  static final class Kept { int n; void use() { n++; } }
  static Object tick;
  static void step() { tick = null; }
  static void attempt() {
    try { new Sub(); } catch (IllegalStateException e) {}
    try { new java.io.FileReader(\"/no/such/file\"); } catch (java.io.IOException e) {}
    step();
  }
  public static void main(String[] a) {
    Kept kept = new Kept();
    for (int i = 0; i < 3; i++) { attempt(); }
    kept.use();
    kept = null;
    step();
  }
}
";

#[test]
fn an_exception_that_leaves_the_argument_of_a_constructor_ends_what_it_leaves() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let sources = folder.path().join("sources");
    fs::create_dir(&sources).expect("a folder");
    fs::write(sources.join("Caught.java"), CAUGHT).expect("a source");
    let classes = folder.path().join("classes");
    weighbridge_jdk::to_build_with().compile(&[&sources], &classes, &["-Xlint:none"]);
    for jdk in jdks() {
        let traced = Traced::run(jdk, folder.path(), std::slice::from_ref(&classes), &["Caught"]);
        let mut unwound = 0;
        traced
            .trace
            .each(&mut |_, _, event| unwound += usize::from(matches!(event, Event::Caught { unwound } if *unwound > 0)))
            .expect("sound events");
        assert!(unwound >= 6, "Java {}: {unwound}", jdk.version);
        let replayed = traced.replay(&[traced.method("Caught", "step")]);
        let is_step = |moment: &&Moment| matches!(moment.what, MomentOf::Method(_));
        let steps: Vec<u64> = replayed.moments.iter().filter(is_step).map(|moment| moment.event).collect();
        let lives = |class: &str| -> Vec<Vec<bool>> {
            let names = traced.trace.names();
            let births = replayed.births().expect("births").map(|life| life.expect("a life"));
            let ours = births.filter(|life| names.classes.get(&life.class).is_some_and(|known| known.name == class));
            ours.map(|life| steps.iter().map(|step| life.lives_after(*step)).collect()).collect()
        };
        // A token is dead at the step after its exception; what the caller keeps lives until it is let go.
        assert_eq!(lives("Caught$Token"), vec![vec![false; 4]; 3], "Java {}", jdk.version);
        assert_eq!(lives("Caught$Kept"), [[true, true, true, false]], "Java {}", jdk.version);
    }
}

#[test]
fn a_program_whose_trace_is_not_whole_ends_with_a_code_of_its_own() {
    // Its `/tmp` has no room for the trace.
    let small = |command: &Command| with_own_temporary("size=100k", command);
    if small(&Command::new("true")).is_none() {
        return;
    }
    let folder = tempfile::tempdir_in(cache()).expect("a temporary folder");
    let sources = folder.path().join("sources");
    fs::create_dir(&sources).expect("a folder");
    let main = "public final class Ends {
  public static void main(String[] a) {
    System.out.println(\"done\");
    if (a.length > 0) { System.exit(Integer.parseInt(a[0])); }
  }
}
";
    fs::write(sources.join("Ends.java"), main).expect("a source");
    let classes = folder.path().join("classes");
    weighbridge_jdk::to_build_with().compile(&[&sources], &classes, &["-Xlint:none"]);
    for jdk in jdks() {
        for (file, arguments, code) in [
            (folder.path().join(format!("{}.wbe", jdk.major)), &[][..], 0),
            ("/tmp/ends.wbe".into(), &[][..], 4),
            ("/tmp/ends.wbe".into(), &["3"][..], 3),
        ] {
            let mut traced = Traced::command(jdk, folder.path(), &file, std::slice::from_ref(&classes));
            let mut inside = small(traced.arg("Ends").args(arguments)).expect("another folder");
            let output = run(&mut inside);
            assert_eq!(output.code, Some(code), "Java {}, {arguments:?}: {output}", jdk.version);
            assert!(output.stdout.contains("done\n"), "{output}");
            assert_eq!(output.stderr.contains("the trace of every event"), code != 0, "{output}");
        }
    }
}
