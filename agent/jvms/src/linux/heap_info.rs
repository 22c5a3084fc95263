//! The answer to `jcmd PID GC.heap_info`: each collector's own words about the heap, then the metaspace.

/// The bytes in use of all parts of the heap; `None` if no part says them.
///
/// A part has a line with `used 5242K` or, of Shenandoah, `10M used`. Parts of parts say `27% used` and do not count.
pub(super) fn in_use(answer: &str) -> Option<u64> {
    let heap = answer.lines().map(str::trim).take_while(|line| !line.starts_with("Metaspace"));
    heap.filter_map(parse_used_bytes).reduce(u64::saturating_add)
}

fn parse_used_bytes(line: &str) -> Option<u64> {
    let words: Vec<&str> = line.split([' ', ',']).filter(|word| !word.is_empty()).collect();
    let at = words.iter().position(|word| *word == "used")?;
    let after = words.get(at + 1).and_then(|word| amount(word));
    after.or_else(|| amount(words.get(at.checked_sub(1)?)?))
}

/// `512K`, `12M`; the units are powers of 1024 (`proper_unit_for_byte_size`).
fn amount(word: &str) -> Option<u64> {
    let (number, unit) = word.split_at(word.find(|c: char| !c.is_ascii_digit())?);
    let shift = match unit {
        "B" => 0,
        "K" => 10,
        "M" => 20,
        "G" => 30,
        "T" => 40,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(1 << shift)
}

#[cfg(test)]
mod tests {
    use super::in_use;

    #[test]
    fn every_collector_is_understood() {
        let answers = [
            (
                "22:\n garbage-first heap   total 254976K, used 1843K [0x70, 0x80)\n  region size 1024K, 2 young (2048K), \
                 0 survivors (0K)\n Metaspace       used 129K, committed 320K, reserved 1114112K\n  class space    used 5K\n",
                1843 << 10,
            ),
            ("garbage-first heap   total reserved 4071424K, committed 256000K, used 2048K [0x70)\n", 2048 << 10),
            (
                " PSYoungGen      total 74240K, used 2560K [0x76)\n  eden space 64000K, 4% used [0x76)\n ParOldGen       \
                 total 169472K, used 100K [0x6c)\n  object space 169472K, 0% used [0x6c)\n Metaspace       used 5K\n",
                2660 << 10,
            ),
            (" ZHeap           used 10M, capacity 254M, max capacity 3976M\n Metaspace       used 132K\n", 10 << 20),
            (
                "Shenandoah Heap\n 3976M max, 3976M soft max, 248M committed, 7168K used\n 1988 x 2048 K regions\n",
                7 << 20,
            ),
        ];
        for (answer, expected) in answers {
            assert_eq!(in_use(answer), Some(expected), "{answer}");
        }
        for nothing in
            ["", "Metaspace used 5K", "eden space 64000K, 4% used", "used", "used xK", "used 99999999999999999T"]
        {
            assert_eq!(in_use(nothing), None, "{nothing}");
        }
    }
}
