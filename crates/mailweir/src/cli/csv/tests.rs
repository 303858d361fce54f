use super::*;

#[track_caller]
fn check(text: &str, expected: &[(usize, &[&str])]) {
    let records = records(text).unwrap_or_else(|error| panic!("{text:?}: {error:?}"));
    let told: Vec<(usize, Vec<&str>)> = records
        .iter()
        .map(|record| (record.line, record.fields.iter().map(String::as_str).collect()))
        .collect();
    let expected: Vec<(usize, Vec<&str>)> =
        expected.iter().map(|(line, fields)| (*line, fields.to_vec())).collect();
    assert_eq!(told, expected, "{text:?}");
}

#[test]
fn the_examples_of_the_standard_read_as_it_says() {
    let expected: &[(usize, &[&str])] = &[(1, &["aaa", "bbb", "ccc"]), (2, &["zzz", "yyy", "xxx"])];
    check("aaa,bbb,ccc\r\nzzz,yyy,xxx\r\n", expected);
    check("aaa,bbb,ccc\r\nzzz,yyy,xxx", expected);
    check("\"aaa\",\"bbb\",\"ccc\"\r\nzzz,yyy,xxx", expected);
    check(
        "\"aaa\",\"b\r\nbb\",\"ccc\"\r\nzzz,yyy,xxx",
        &[(1, &["aaa", "b\r\nbb", "ccc"]), (3, &["zzz", "yyy", "xxx"])],
    );
    check("\"aaa\",\"b\"\"bb\",\"ccc\"", &[(1, &["aaa", "b\"bb", "ccc"])]);
}

#[test]
fn blanks_belong_to_their_field_and_empty_fields_count() {
    check(" a , b\n", &[(1, &[" a ", " b"])]);
    check(",", &[(1, &["", ""])]);
    check("a,\n,b", &[(1, &["a", ""]), (2, &["", "b"])]);
    check("a,\"\"", &[(1, &["a", ""])]);
    check("\"\"\"\"", &[(1, &["\""])]);
}

#[test]
fn what_spreadsheets_add_is_taken() {
    check("\u{feff}a,b\n", &[(1, &["a", "b"])]);
    check("a\n\n\r\nb\n\n", &[(1, &["a"]), (4, &["b"])]);
    check("", &[]);
    check("\n\n", &[]);
}

#[test]
fn mistakes_are_told_with_their_line() {
    for (text, line, why) in [
        ("a\nb\"c\n", 2, QUOTE_WITHIN),
        ("a\n b,\"c\nd\n", 2, UNCLOSED),
        ("\"", 1, UNCLOSED),
        ("\"a\"\"", 1, UNCLOSED),
        ("\"a\"b", 1, BEHIND),
        ("\"a\nb\" ,c", 2, BEHIND),
        ("\"a\"\r", 1, BEHIND),
    ] {
        assert_eq!(records(text), Err(Malformed { line, why }), "{text:?}");
    }
}

#[test]
fn what_is_written_by_the_rules_reads_back() {
    let pieces = ["", "a", ",", "\"", "\n", "\r\n", "ä b", "\r", "\"\"", ",\"\n"];
    let quoted = |field: &str| format!("\"{}\"", field.replace('"', "\"\""));
    for first in pieces {
        for second in pieces {
            let text = format!("{},{}\r\nlast,one", quoted(first), quoted(second));
            let read = records(&text).unwrap();
            assert_eq!(read[0].fields, [first, second], "{text:?}");
            assert_eq!(read[1].fields, ["last", "one"], "{text:?}");
            let breaks = first.matches('\n').count() + second.matches('\n').count();
            assert_eq!(read[1].line, 2 + breaks, "{text:?}");
        }
    }
}
