//! Parsing, recovery and formatting, from the outside.

use prespec::source::Sources;
use prespec::syntax::{self, ast};

fn parse(text: &str) -> (ast::File, Vec<prespec::diagnostic::Diagnostic>) {
    let mut sources = Sources::default();
    syntax::parse(&mut sources, "spec.prespec", text, &mut |path| Err(format!("no {path} in this test")))
}

/// Code and line of each finding.
fn findings(text: &str) -> Vec<(String, usize)> {
    let mut sources = Sources::default();
    let (_, found) = syntax::parse(&mut sources, "spec.prespec", text, &mut |_| Err("absent".to_owned()));
    found
        .iter()
        .map(|d| {
            let file = sources.get(d.primary.span.file).unwrap();
            (format!("{} {}", d.code.number(), d.message), file.line_column(d.primary.span.start).0)
        })
        .collect()
}

fn specs() -> Vec<(String, String)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/syntax");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files.iter().map(|path| (path.display().to_string(), std::fs::read_to_string(path).unwrap())).collect()
}

#[test]
fn every_form_of_the_language_parses() {
    let specs = specs();
    assert!(specs.len() >= 4);
    for (name, text) in specs {
        assert_eq!(findings(&text), vec![], "{name}");
        let (file, _) = parse(&text);
        assert_eq!(file.language.map(|version| version.node), Some(1), "{name}");
        assert!(!file.items.is_empty());
    }
}

/// All specs of the repository.
fn all_specs() -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut folders = vec![std::path::PathBuf::from(env!("CARGO_MANIFEST_DIR"))];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() && name != "target" && !name.starts_with('.') && !path.ends_with("tests/ui") {
                folders.push(path);
            } else if name.ends_with(".prespec") {
                found.push((path.display().to_string(), std::fs::read_to_string(&path).unwrap()));
            }
        }
    }
    found.sort();
    found
}

#[test]
fn the_specs_of_the_repository_parse() {
    let bad: Vec<_> = all_specs()
        .iter()
        .map(|(name, text)| (name.clone(), findings(text)))
        .filter(|(_, found)| !found.is_empty())
        .collect();
    assert!(bad.is_empty(), "{bad:#?}");
}

#[test]
fn formatting_is_idempotent_and_keeps_meaning_and_comments() {
    for (name, text) in all_specs() {
        let once = syntax::format::format(&text).unwrap_or_else(|found| panic!("{name}: {found:#?}"));
        assert_eq!(syntax::format::format(&once).as_ref(), Ok(&once), "{name}");
        assert_eq!(parse(&text).0, parse(&once).0, "{name}");
        assert_eq!(text.matches('#').count(), once.matches('#').count(), "{name}");
    }
}

#[test]
fn separators_beside_comments_leave_no_white_space() {
    for text in [";#;\n;#;;", "study x { ; # a\n ; # b\n}", ";\n;\n# only\n;", "; ; #\n#;"] {
        if let Ok(once) = syntax::format::format(text) {
            assert_eq!(syntax::format::format(&once).as_ref(), Ok(&once), "{text:?}");
            assert!(once.lines().all(|line| line == line.trim_end()), "{once:?}");
        } else {
            assert!(text.starts_with("study"), "{text:?} was refused");
        }
    }
}

#[test]
fn formatting_normalises_spacing_and_keeps_comments() {
    let text = "language 1\n\n\n\n# first\nmeasure  a=mean( correct )# why\n\tfactor f = -1|2 ;\n\nestimand e =\n  a[ s2 ]-a[f:2] # there\n  * -2/3\nfamily g\n{\n\n members e;adjust holm ; # last\n\n}\n# end";
    let wanted = "language 1\n\n# first\nmeasure a = mean(correct)  # why\nfactor f = -1 | 2\n\nestimand e =\n  a[s2] - a[f: 2]  # there\n  * -2/3\nfamily g {\n  members e; adjust holm  # last\n}\n# end\n";
    assert_eq!(syntax::format::format(text).as_deref(), Ok(wanted));
}

/// The rule of the only hypothesis of a spec made around one condition.
fn condition(text: &str) -> ast::Expr {
    let spec = format!("language 1\nhypothesis H1 {{ decide {{ supported when {text}; inconclusive otherwise }} }}\n");
    let (file, found) = parse(&spec);
    assert_eq!(found, vec![], "{text}");
    let Some(ast::Declaration::Hypothesis(hypothesis)) = file.items.first().map(|item| &item.node) else {
        panic!("{text}")
    };
    hypothesis.rule.as_ref().unwrap().cases[0].when.clone().unwrap()
}

#[test]
fn precedence_is_that_of_the_reference() {
    for (short, long) in [
        ("a or b and c", "a or (b and c)"),
        ("not a and b", "(not a) and b"),
        ("not a == b", "not (a == b)"),
        ("not not a", "not (not a)"),
        ("a + b * c", "a + (b * c)"),
        ("a - b - c", "(a - b) - c"),
        ("a / b / c", "(a / b) / c"),
        ("-a[s2] * b", "(-(a[s2])) * b"),
        ("a + b >= c - d", "(a + b) >= (c - d)"),
        ("x in [a - 1, b] or c", "(x in [(a - 1), b]) or c"),
        ("x is one of a, b and c", "(x is one of a, b) and c"),
        ("H1 is supported for some f and c", "(H1 is supported for some f) and c"),
        ("(a) for not d - (b) for l == 1 > 0", "(((a) for (not d)) - ((b) for (l == 1))) > 0"),
        ("f(a, b over c, d where e or g) > 0", "(f(a, b over c, d where (e or g))) > 0"),
        ("x ends_with any [\".csv\"] and y", "(x ends_with \".csv\") and y"),
    ] {
        assert_eq!(condition(short), condition(long), "{short}");
    }
    assert_ne!(condition("a and b or c"), condition("a and (b or c)"));
    assert_ne!(condition("a - (b - c)"), condition("a - b - c"));
}

#[test]
fn numbers_keep_their_digits_and_units() {
    for (text, number, unit) in [
        ("2 pp", "2", Some("pp")),
        ("2pp", "2", Some("pp")),
        ("95 %", "95", Some("%")),
        ("2 % rel", "2", Some("% rel")),
        ("1.02 x", "1.02", Some("x")),
        ("5 usd/Mtok", "5", Some("usd/Mtok")),
        ("5_000", "5_000", None),
        ("2/3", "2/3", None),
        ("1e-3 bits", "1e-3", Some("bits")),
        ("30 parsecs", "30", Some("parsecs")),
    ] {
        let ast::ExprKind::Compare(_, _, right) = *condition(&format!("a > {text}")).kind else { panic!("{text}") };
        let ast::ExprKind::Number(literal) = *right.kind else { panic!("{text}") };
        assert_eq!(literal.number.node, number, "{text}");
        assert_eq!(literal.unit.map(|unit| unit.node).as_deref(), unit, "{text}");
    }
    let ast::ExprKind::Compare(_, _, right) = *condition("a > 2 / 3").kind else { panic!() };
    assert!(matches!(*right.kind, ast::ExprKind::Arithmetic(..)), "a spaced slash divides");
}

#[test]
fn clauses_continue_only_where_the_language_says_so() {
    let whole = parse("language 1\nmeasure a = mean(x where y) + b\ndesign { cross a, b; exclude p == q where r }\n");
    let split = parse(
        "language 1\r\nmeasure a =\r\n  mean(\r\n x\r\n where y) # note\r\n  +\r\n b\ndesign {\n cross a,\n\n # note\n b\n exclude p\n == q\n where r\n}\n",
    );
    assert_eq!(split.1, vec![]);
    assert_eq!(whole.0, split.0);
    assert_eq!(
        findings("language 1\nmeasure a\n  = mean(x)\n").first().map(|f| f.1),
        Some(2),
        "a line cannot start with `=`"
    );
}

#[test]
fn clause_words_stay_names_elsewhere() {
    let text = "language 1\nfactor seed = family | min | decide\nmeasure title = mean(sets where about == members)\nresults r { state = \"s\"; file = \"f\" }\ndesign { cross seed,\n order, cross }\n";
    assert_eq!(findings(text), vec![]);
}

#[test]
fn ten_mistakes_give_ten_findings_each_in_its_place() {
    let text = "\
language 1
study s { titel \"a\" }
factor f a | b
measure m = mean(x
outcome o bool
analysis_set p { drop }
interval i = bootstrap(seed: ____)
margin g = 5 pp higher source
audit x { anything goes = here }
hypothesis H1 primary \"claim\" {
  sets a,
  decide {
    supported when lower => 1 pp
    contradicted when upper near 2 pp
    inconclusive otherwise
  }
  nonsense here
}
";
    let lines: Vec<(String, usize)> = findings(text)
        .into_iter()
        .map(|(message, line)| (message.split(' ').next().unwrap().to_owned(), line))
        .collect();
    let wanted = [
        ("E0104", 2),
        ("E0102", 3),
        ("E0103", 4),
        ("E0102", 5),
        ("E0102", 6),
        ("E0801", 7),
        ("E0101", 8),
        ("E0108", 9),
        ("E0106", 11),
        ("E0105", 13),
        ("E0407", 14),
        ("E0104", 17),
    ];
    assert_eq!(lines, wanted.map(|(code, line)| (code.to_owned(), line)));
}

#[test]
fn one_missing_brace_gives_few_findings() {
    let good = specs().into_iter().find(|(name, _)| name.ends_with("scaffold_study.prespec")).unwrap().1;
    let mut tried = 0;
    for (at, _) in good.match_indices(['{', '}']) {
        let mut text = good.clone();
        text.remove(at);
        let found = findings(&text);
        tried += 1;
        assert!((1..=4).contains(&found.len()), "without the brace at byte {at}: {found:#?}");
    }
    assert!(tried >= 20, "{tried}");
    // Where lines are indented, the outline tells what was meant.
    for (without, lines) in [
        ("study scaffold_effects {", 1),
        ("  decide {", 1),
        ("hypothesis H3 secondary \"Planning helps at level 2 and not at level 1\" {", 1),
    ] {
        let text = good.replacen(without, without.trim_end_matches('{'), 1);
        assert_ne!(text, good);
        assert_eq!(findings(&text).len(), lines, "{without}: {:#?}", findings(&text));
    }
}

#[test]
fn planned_words_are_refused_once_and_kept_by_name() {
    for word in ["audit", "profile", "track", "design_space"] {
        let (file, found) = parse(&format!("language 1\n{word} a {{ b {{ c ??? ; => }} }}\nfactor f = a | b\n"));
        assert_eq!(found.iter().map(|d| d.code.number()).collect::<Vec<_>>(), ["E0108"], "{word}");
        assert_eq!(file.items.len(), 2);
        assert!(matches!(&file.items[0].node, ast::Declaration::Planned(name) if name.node == word));
    }
}

#[test]
fn includes_are_inlined_and_bounded() {
    let mut sources = Sources::default();
    let mut load = |path: &str| match path {
        "a" => Ok("factor f = x | y\ninclude \"b\"\n".to_owned()),
        "b" => Ok("include \"a\"\nflag g\n".to_owned()),
        _ => Err("absent".to_owned()),
    };
    let (file, found) = syntax::parse(&mut sources, "s", "language 1\ninclude \"a\"\nflag h\n", &mut load);
    assert_eq!(file.items.len(), 3, "f, g, h in this order");
    assert!(matches!(&file.items[1].node, ast::Declaration::Flag(flag) if flag.name.node == "g"));
    assert_eq!(found.iter().map(|d| d.code.number()).collect::<Vec<_>>(), ["E0111"], "a cycle");
    let mut deep = |path: &str| Ok(format!("include \"{path}x\"\n"));
    let (_, found) = syntax::parse(&mut Sources::default(), "s", "language 1\ninclude \"x\"\n", &mut deep);
    assert_eq!(found.iter().map(|d| d.code.number()).collect::<Vec<_>>(), ["E0111"], "too deep");
}

#[test]
fn hostile_texts_are_answered_in_linear_time() {
    let big = |unit: &str| unit.repeat(50_000 / unit.len());
    let deep_condition = format!("measure a = {}b{}", "(".repeat(60), ")".repeat(60));
    assert_eq!(findings(&format!("language 1\n{deep_condition}\n")), vec![]);
    for text in [
        "hypothesis H {".repeat(22),
        big("{"),
        big("}"),
        big("("),
        format!("measure a = {}", big("(")),
        format!("measure a = {}{}", "(".repeat(5000), ")".repeat(5000)),
        format!("measure a = {}b", big("not ")),
        format!("measure a = {}b", big("-")),
        format!("measure a = b{}", big("+ b")),
        format!("measure a = b{}", big("[c]")),
        format!("measure a = b{}", big(" or b")),
        format!("measure a = b{}", big(" < b")),
        format!("measure a = {}", big("f(")),
        format!("hypothesis H {{ decide {{ {} }} }}", big("x when ")),
        big("\""),
        big("a\n"),
        big("loop {"),
        big("[A] "),
        big("???"),
        format!("factor f = {}", big("a | ")),
        format!("publish p = {}", big("a, ")),
        big("é"),
    ] {
        let start = std::time::Instant::now();
        parse(&format!("language 1\n{text}"));
        let shown: String = text.chars().take(30).collect();
        assert!(start.elapsed().as_secs() < 20, "{shown} took {:?}", start.elapsed());
    }
}

#[test]
fn a_spec_of_more_than_eight_mebibytes_is_refused() {
    let text = format!("language 1\n{}", "# padding\n".repeat(900_000));
    let found = findings(&text);
    assert_eq!(found.len(), 1);
    assert!(found[0].0.starts_with("E0110"), "{found:?}");
}

mod properties {
    use super::{parse, specs, syntax};
    use proptest::prelude::*;

    fn fragment() -> impl Strategy<Value = String> {
        prop_oneof![
            Just("hypothesis H1 {".to_owned()),
            Just("decide {\n".to_owned()),
            Just("}\n".to_owned()),
            Just(" when ".to_owned()),
            Just("measure a = ".to_owned()),
            Just("(".to_owned()),
            Just(")".to_owned()),
            Just("[x]".to_owned()),
            Just(" and ".to_owned()),
            Just("\n  ".to_owned()),
            Just("\"té\\u{41}\"".to_owned()),
            Just("2/3 pp".to_owned()),
            Just("# c\n".to_owned()),
            Just(",".to_owned()),
            "[ -~\n]{0,6}",
            "\\PC{0,3}",
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn parsing_never_panics(parts in prop::collection::vec(fragment(), 0..40)) {
            let text = parts.concat();
            parse(&text);
            if let Ok(once) = syntax::format::format(&text) {
                prop_assert_eq!(syntax::format::format(&once), Ok(once));
            }
        }

        #[test]
        fn a_mutated_spec_never_panics_and_formats_stably(which in any::<prop::sample::Index>(), at in any::<prop::sample::Index>(), cut in 0usize..12, put in fragment()) {
            let specs = specs();
            let mut text: Vec<char> = specs[which.index(specs.len())].1.chars().collect();
            let start = at.index(text.len());
            let end = (start + cut).min(text.len());
            text.splice(start..end, put.chars());
            let text: String = text.into_iter().collect();
            parse(&text);
            if let Ok(once) = syntax::format::format(&text) {
                prop_assert_eq!(syntax::format::format(&once), Ok(once.clone()));
                prop_assert_eq!(parse(&text).0, parse(&once).0);
            } else {
                // Only a spec that does not parse may fail to format.
                prop_assert!(!parse(&text).1.is_empty(), "{text}");
            }
        }
    }
}

#[test]
fn texts_are_read_after_their_escapes() {
    let text = "language 1\nstudy s { title \"a\\\"b\\\\c\\n\\t\\u{e9}\\u{1F600}\" }\n";
    let (file, found) = parse(text);
    assert_eq!(found, vec![]);
    let ast::Declaration::Study(study) = &file.items[0].node else { panic!() };
    assert_eq!(study.title.as_ref().unwrap().node, "a\"b\\c\n\té😀");
}

#[test]
fn refused_characters_are_named_wherever_they_stand() {
    for (text, part) in [
        ("\u{FEFF}language 1\n", "byte order mark"),
        ("language 1\n# a\u{202E}b\n", "U+202E"),
        ("language 1\nstudy s { title \"a\u{7}b\" }\n", "U+0007"),
        ("language 1\rflag a\n", "carriage return"),
        ("language 1\nstudy s { title \"e\u{301}\" }\n", "normal form C"),
        ("language 1\nflag\u{A0}a\n", "no-break space"),
        ("language 1\nstudy s { title \"\\u{202E}\" }\n", "escape"),
    ] {
        let found = findings(text);
        assert!(
            found.iter().any(|(message, _)| message.starts_with("E0109") && message.contains(part)),
            "{text:?}: {found:?}"
        );
    }
    assert_eq!(findings("language 1\r\nstudy s { title \"\u{A0}é\" }\r\n"), vec![], "CRLF ends lines; prose is free");
}

/// Every fix of a foreign spelling, applied, gives a spec that parses.
#[test]
fn fixes_mend_what_they_are_offered_for() {
    let text = "language 1 // note\nmeasure a := mean(b)\nvalue c = .5 'x'\nhypothesis H1 { decide { supported if a => 1 && !(a = 2) or a < b < c; inconclusive else } }\nresults r { columns \"x\" => a }\ninterval i = bootstrap(seed = 5)\nestimand e = (a × b) ÷ c\nestimand f = a for d\nfactor g a | b\ndesign { cross a,\n order listed }\nhypotesis H2 { decide { inconclusive otherwise } }\n";
    let (_, mut found) = parse(text);
    assert!(found.iter().all(|d| !d.fixes.is_empty()), "{found:#?}");
    // From the end to the start; a fix that another one overlaps waits for the next round.
    let mut text = text.to_owned();
    for _ in 0..4 {
        let mut reached = usize::MAX;
        found.sort_by_key(|d| std::cmp::Reverse(d.fixes[0].span.end));
        for fix in found.iter().map(|d| &d.fixes[0]) {
            let range = fix.span.start as usize..fix.span.end as usize;
            if range.end <= reached {
                text.replace_range(range.clone(), &fix.replacement);
                reached = range.start;
            }
        }
        found = parse(&text).1;
    }
    assert_eq!(found, vec![], "{text}");
}
