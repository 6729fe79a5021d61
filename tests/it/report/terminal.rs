//! The terminal's summary.

use prespec::report::{Style, document, summary};

use super::fixture;

fn text(style: Style) -> String {
    let (judgment, spec) = fixture::whole();
    summary(&judgment, &spec, style)
}

#[test]
fn a_summary_gives_every_verdict_its_reason_and_its_distance() {
    let text = text(Style::default());
    for line in [
        "H1  supported  (primary)",
        "  because    2 of 5 members are supported and any needs 1",
        "H2  contradicted  (secondary)",
        "  evidence   gain (file_gain): -4.2 pp; 95 % [-8.10, -0.04] pp; n 159",
        "  case       contradicted when gain.upper < 0 pp",
        "  sets       they disagree",
        "H3  conditional (inconclusive)  (secondary)",
        "  holds for  claude",
        "H4  void  (primary)  [judged under a waiver]",
        "H6  not evaluated  (secondary)",
        "H8  described, not decided  (exploratory)",
        "Gates",
        "Families",
        "Conclusions",
        "Waivers",
        "Warnings",
        "Limitations",
    ] {
        assert!(text.lines().any(|found| found == line), "no line `{line}` in\n{text}");
    }
    for part in
        ["reported, not recomputed", "another seed could decide otherwise", "no sentence is licensed", "13 320 planned"]
    {
        let text = text.replace('\u{202f}', " ").replace("\n             ", " ");
        let part = part.replace("13 320 planned", "13 320 records planned");
        assert!(text.contains(&part), "no `{part}` in\n{text}");
    }
    assert_eq!(text.lines().last(), Some(document::LIMIT));
}

#[test]
fn findings_and_ranks_stand_with_what_they_rest_on() {
    let text = text(Style::default()).replace('\u{202f}', " ");
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [
        "Comparisons",
        "adjusted by joint, level 5 %, 3 comparisons planned; intervals are not adjusted",
        "no interval",
        "scaffold s1 against s2",
        "every task moved alike",
        "worse, within the margin",
        "2 pairs left out because a side does not count",
        "Rankings",
        "=2",
        "rank between 1 and 3",
        "on the front in 93 % of resamples",
        "none because nothing to rank",
    ] {
        assert!(flat.contains(part), "no `{part}` in\n{text}");
    }
}

#[test]
fn no_line_is_wider_than_asked() {
    for width in [0, 40, 72, 100, 1000] {
        for (judgment, spec) in [fixture::whole(), fixture::many(), fixture::hostile(), fixture::empty()] {
            let text = summary(&judgment, &spec, Style { colour: false, width });
            let most = width.clamp(40, 100);
            for line in text.lines() {
                assert!(line.chars().count() <= most, "{} columns at width {width}: {line}", line.chars().count());
            }
        }
    }
}

#[test]
fn colours_are_codes_around_the_same_text() {
    let plain = text(Style::default());
    let coloured = text(Style { colour: true, ..Style::default() });
    assert!(!plain.contains('\u{1b}'));
    assert!(coloured.contains("\u{1b}[1;32mH1  supported"));
    let mut stripped = String::new();
    let mut inside = false;
    for character in coloured.chars() {
        match character {
            '\u{1b}' => inside = true,
            'm' if inside => inside = false,
            other if !inside => stripped.push(other),
            _ => {}
        }
    }
    assert_eq!(stripped, plain);
}

#[test]
fn every_block_of_an_exploratory_judgment_says_so() {
    let (mut judgment, spec) = fixture::whole();
    judgment.exploratory = true;
    judgment.partial = true;
    let text = summary(&judgment, &spec, Style::default());
    for block in text.split(&"-".repeat(100)) {
        assert!(block.contains("[exploratory: judged without a frozen study]"), "{block}");
        assert!(block.contains("[partial: planned records that never came were let through]"), "{block}");
    }
    assert!(text.contains("H1  exploratory: supported"));
    assert!(text.contains("H5  exploratory: grid"));
}

#[test]
fn a_study_cannot_move_the_cursor() {
    let (mut judgment, spec) = fixture::hostile();
    judgment.title = "\u{1b}[2J\u{7}\r\nforged line\u{202e}".to_owned();
    let text = summary(&judgment, &spec, Style::default());
    for character in ['\u{1b}', '\u{7}', '\r', '\u{202e}'] {
        assert!(!text.contains(character), "{character:?} came through");
    }
    assert!(!text.lines().any(|line| line == "forged line"));
}
