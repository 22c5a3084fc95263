//! Components in heap dumps: in the text, the JSON and the page.

use serde_json::{Value, json};
use weighbridge_recording::{Header, HeapComponents, Line, Reader, Writer};
use weighbridge_reporter::{Aggregate, Aggregator, html, json as report_json, text};
use weighbridge_tests::made_heap_components::{dump, three};

fn aggregate(jvms: &[&[HeapComponents]]) -> Aggregate {
    let mut aggregator = Aggregator::new();
    for (index, dumps) in jvms.iter().enumerate() {
        let mut writer = Writer::new(Vec::new());
        writer.line(&Line::Header(Header::new("0.1.0", &format!("jvm {index}")))).unwrap();
        dumps.iter().for_each(|dump| writer.line(&Line::HeapComponents(Box::new(dump.clone()))).unwrap());
        let bytes = writer.finish().unwrap();
        aggregator.read(Reader::new(&format!("{index}.wbr"), bytes.as_slice()).unwrap()).unwrap();
    }
    aggregator.finish()
}

fn written(write: impl FnOnce(&mut Vec<u8>) -> std::io::Result<()>) -> String {
    let mut output = Vec::new();
    write(&mut output).unwrap();
    String::from_utf8(output).unwrap()
}

#[test]
fn the_text_has_the_last_dump_and_the_growth_since_the_first() {
    let text = written(|out| text::write(&aggregate(&[&three()]), &text::TextOptions::default(), out));
    let sentence = "The last of 3 heap dumps, taken 1 h 02 min after the JVM started; it stopped the program for 80 ms; \
                    rules for tomcat, spring; 1 component that holds less is not recorded.";
    assert!(text.contains(sentence), "{text}");
    let table = text.split_once("Components in heap dumps\n").expect("a table").1;
    insta::assert_snapshot!(table.split("\n\n").next().expect("its end"));
}

#[test]
fn one_dump_has_no_growth_and_each_jvm_has_its_own() {
    let one = [dump(60, &[("pools.executor[pool-1]", 4096)])];
    let text = written(|out| text::write(&aggregate(&[&one]), &text::TextOptions::default(), out));
    assert!(text.contains("One heap dump, taken 1 min 00 s after") && !text.contains("Since the"), "{text}");
    let all = aggregate(&[&one, &[], &three()]);
    let report: Value = serde_json::from_str(&written(|out| report_json::write(&all, out))).unwrap();
    let found = report["heap_components"].as_array().expect("dumps");
    let of = |key: &str| found.iter().map(|one| one[key].as_u64()).collect::<Vec<_>>();
    assert_eq!((of("jvm"), of("dumps")), (vec![Some(0), Some(2)], vec![Some(1), Some(3)]));
    assert_eq!((of("first_uptime_ms"), of("uptime_ms")), (vec![Some(60_000); 2], vec![Some(60_000), Some(3_725_000)]));
    let growth: Vec<[&Value; 3]> = found[1]["components"]
        .as_array()
        .expect("components")
        .iter()
        .map(|one| ["component", "semantic_bytes", "first_semantic_bytes"].map(|key| &one[key]))
        .collect();
    let expected = json!([
        ["spring.context[shop]", 12 << 20, 9 << 20],
        ["spring.context[shop].bean[<b>]", 4 << 20, null],
        ["spring.context[shop].bean[cart]", 2 << 20, 3 << 20],
        ["tomcat.context[/]", 2000, null],
    ]);
    assert_eq!(json!(growth), expected);
}

#[test]
fn the_page_has_them_and_a_name_stays_text() {
    let page = written(|out| html::write(&aggregate(&[&three()]), out));
    let (_, data) = page.split_once("<script type=\"application/json\" id=\"report\">").expect("the data");
    let data: Value = serde_json::from_str(data.split_once("</script>").expect("its end").0).expect("JSON");
    assert_eq!(data["report"]["heap_components"][0]["components"].as_array().map(Vec::len), Some(4));
    assert!(!page.contains("bean[<b>"));
}
