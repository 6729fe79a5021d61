//! The HTML report: what it says, that it is whole and safe, and that its bytes are always the same.

use std::collections::BTreeSet;

use prespec::decide::judgment::Judgment;
use prespec::report::{ReportError, document, html};
use prespec::spec::{Spec, VerdictClass};

use super::fixture;

fn page((judgment, spec): (Judgment, Spec)) -> String {
    html(&judgment, &spec).unwrap()
}

/// Every page that the browser also sees.
pub fn samples() -> Vec<(&'static str, String)> {
    let (mut judgment, spec) = fixture::whole();
    judgment.exploratory = true;
    judgment.partial = true;
    judgment.freeze_id = None;
    vec![
        ("whole", page(fixture::whole())),
        ("exploratory", page((judgment, spec))),
        ("empty", page(fixture::empty())),
        ("many", page(fixture::many())),
        ("hostile", page(fixture::hostile())),
    ]
}

/// Names of elements and their attributes, read with the tokenizer's own rules for well-formed markup.
fn tags(page: &str) -> Vec<String> {
    let style = page.find("<style>").unwrap()..page.find("</style>").unwrap();
    let text = format!("{}{}", &page[..style.start], &page[style.end + "</style>".len()..]);
    let mut found = Vec::new();
    let mut rest = text.as_str();
    while let Some(at) = rest.find('<') {
        rest = &rest[at + 1..];
        let end = rest.find('>').expect("a tag ends");
        found.push(rest[..end].to_owned());
        rest = &rest[end + 1..];
    }
    found
}

#[test]
fn the_page_says_what_was_claimed_what_was_found_and_why() {
    let page = page(fixture::whole());
    for text in [
        "Some model shows a scaffold gap of at least five points at level 1",
        "2 of 5 members are supported and any needs 1",
        "[+8.2, +19.8] pp",
        "p = 0.04996",
        "slight = 5 pp",
        "What would have contradicted a member",
        "What would have supported it",
        "another seed could decide otherwise",
        "they disagree",
        "conditional (inconclusive)",
        "Judged under a waiver of E0311.",
        "reported, not recomputed",
        "described, not decided",
        "undefined: no records",
        "could not be evaluated",
        "Scaffolds move measured accuracy by an amount that would reorder published rankings.",
        "No sentence is licensed.",
        "s1 carries another tool surface",
        "accuracy[scaffold: s2] - accuracy[scaffold: s1]",
        "from \u{2212}2 pp to 2 pp",
        "same \u{2212}2 pp",
        "drop records where flagged(provider_serialization_bug)",
        "runs&#x2f;opus.jsonl",
        document::LIMIT,
    ] {
        assert!(page.contains(text), "the page lacks `{text}`");
    }
    for class in VerdictClass::ALL {
        assert!(page.contains(&format!("class=\"chip {}\"", class.word())), "no mark for {}", class.word());
    }
    let end = page.rfind(document::LIMIT).unwrap();
    let rest = tags(&format!("<style></style>{}", &page[end..]));
    assert_eq!(rest, ["/p", "/footer", "/body", "/html"], "the limiting sentence is the last text");
}

#[test]
fn comparisons_and_rankings_are_tables() {
    let page = page(fixture::whole()).replace('\u{202f}', " ");
    for part in [
        "<h2 id=\"comparisons-title\">Comparisons</h2>",
        "<td role=\"cell\" data-label=\"Finding\">worse, within the margin</td>",
        "every task moved alike",
        "<h2 id=\"rankings-title\">Rankings</h2>",
        "<td role=\"cell\" data-label=\"Rank\">=2</td>",
        "rank between 1 and 3",
        "There is no order: nothing to rank",
    ] {
        assert!(page.contains(part), "no `{part}`");
    }
}

#[test]
fn a_page_is_one_file_without_scripts_or_references_to_others() {
    for (name, page) in samples() {
        for tag in tags(&page) {
            let word = tag.split_whitespace().next().unwrap();
            assert!(
                !matches!(word, "script" | "img" | "iframe" | "object" | "embed" | "video" | "audio"),
                "{name}: <{tag}>"
            );
            for (attribute, value) in attributes(&tag) {
                assert!(!attribute.starts_with("on"), "{name}: <{tag}>");
                assert!(attribute != "src" && attribute != "style", "{name}: <{tag}>");
                if attribute == "href" {
                    assert!(value.starts_with('#') || value == "data:,", "{name}: <{tag}>");
                }
            }
        }
        let style = &page[page.find("<style>").unwrap()..page.find("</style>").unwrap()];
        assert!(!style.contains("url(") && !style.contains("@import"), "{name}: the style loads something");
    }
}

fn attributes(tag: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut rest = tag.trim_end_matches('/');
    while let Some(at) = rest.find("=\"") {
        let name = rest[..at].rsplit([' ', '\n']).next().unwrap().to_owned();
        rest = &rest[at + 2..];
        let end = rest.find('"').expect("a value ends");
        found.push((name, rest[..end].to_owned()));
        rest = &rest[end + 1..];
    }
    found
}

#[test]
fn tags_are_balanced_ids_unique_and_references_resolve() {
    const VOID: [&str; 4] = ["meta", "link", "br", "!DOCTYPE"];
    for (name, page) in samples() {
        let mut open: Vec<String> = Vec::new();
        let mut ids = BTreeSet::new();
        let mut wanted = BTreeSet::new();
        for tag in tags(&page) {
            let word = tag.split_whitespace().next().unwrap().to_owned();
            if let Some(closed) = word.strip_prefix('/') {
                assert_eq!(open.pop().as_deref(), Some(closed), "{name}: </{closed}>");
            } else if !VOID.contains(&word.as_str()) && !tag.ends_with('/') {
                open.push(word);
            }
            for (attribute, value) in attributes(&tag) {
                match attribute.as_str() {
                    "id" => assert!(ids.insert(value.clone()), "{name}: the id {value} occurs twice"),
                    "aria-labelledby" => drop(wanted.insert(value)),
                    "href" if value.starts_with('#') => drop(wanted.insert(value[1..].to_owned())),
                    "fill" if value.starts_with("url(#") => {
                        wanted.insert(value.trim_start_matches("url(#").trim_end_matches(')').to_owned());
                    }
                    _ => {}
                }
            }
        }
        assert!(open.is_empty(), "{name}: never closed: {open:?}");
        let missing: Vec<_> = wanted.difference(&ids).collect();
        assert!(missing.is_empty(), "{name}: references without target: {missing:?}");
    }
}

#[test]
fn headings_never_skip_a_level() {
    for (name, page) in samples() {
        let mut last = 0;
        for tag in tags(&page) {
            let word = tag.split_whitespace().next().unwrap();
            let Some(level) = word.strip_prefix('h').and_then(|level| level.parse::<u32>().ok()) else { continue };
            assert!(level <= last + 1, "{name}: h{level} after h{last}");
            last = level;
        }
        assert_eq!(page.matches("<h1").count(), 1, "{name}");
        assert_eq!(page.matches("<main").count(), 1, "{name}");
    }
}

#[test]
fn texts_of_the_study_are_always_escaped() {
    let page = page(fixture::hostile());
    assert!(!page.contains("<script"), "a script of the study is markup");
    assert!(!page.contains("<img"), "an image of the study is markup");
    assert!(page.contains("&lt;script&gt;document.title=&#x27;owned&#x27;"));
    assert_eq!(page.matches("</style>").count(), 1, "the study ended the style");
    assert_eq!(page.matches("</title>").count(), 1, "the study ended the title");
    assert!(page.contains("{{ page.title }}"), "a text of the study is not a template");
    assert!(!page.contains('\u{202e}'), "a text of the study turns what follows around");
}

#[test]
fn watermarks_stand_on_every_section_and_in_the_title() {
    let (mut judgment, spec) = fixture::whole();
    assert!(!html(&judgment, &spec).unwrap().contains("class=\"watermark\""));
    judgment.partial = true;
    let partial = html(&judgment, &spec).unwrap();
    assert!(partial.contains("<title>Partial: Scaffold"));
    let sections = partial.matches("<h2").count();
    assert!(partial.matches("partial: planned records").count() > sections, "a section has no watermark");
    judgment.exploratory = true;
    judgment.freeze_id = None;
    let both = html(&judgment, &spec).unwrap();
    assert!(both.contains("<title>Exploratory and Partial: Scaffold"));
    assert!(both.contains("none; the study was not frozen"));
    // Every verdict's own words carry it, too.
    for chip in both.split("<span class=\"chip ").skip(1) {
        let text = chip.split("</svg>").nth(1).unwrap().split("</span>").next().unwrap();
        assert!(text.starts_with("exploratory: "), "`{text}` has no prefix");
    }
}

#[test]
fn the_same_judgment_gives_the_same_bytes() {
    for ((_, first), (_, second)) in samples().into_iter().zip(samples()) {
        assert!(first == second, "two runs differ");
    }
}

#[test]
fn two_hundred_members_each_have_a_row_for_every_set() {
    let page = page(fixture::many());
    for at in [0, 99, 199] {
        assert!(page.contains(&format!(">model_{at:03}</th>")), "member {at} has no row");
    }
    assert!(page.matches("<tr role=\"row\" class=\"minor\">").count() >= 400);
}

#[test]
fn an_empty_study_says_so() {
    let page = page(fixture::empty());
    assert!(page.contains("The study declares no hypothesis."));
    assert!(page.contains("<h1>empty</h1>"));
}

#[test]
fn a_verdict_on_what_the_study_does_not_declare_is_refused() {
    let (judgment, mut spec) = fixture::whole();
    spec.hypotheses.remove("H2");
    let error = html(&judgment, &spec).unwrap_err();
    assert!(matches!(&error, ReportError::NotInStudy { kind: "hypothesis", name } if name == "H2"), "{error}");
    assert!(error.to_string().contains("give it the study that was judged"));
    let (judgment, mut spec) = fixture::whole();
    spec.gates.remove("pipeline");
    assert!(html(&judgment, &spec).is_err());
    let (judgment, mut spec) = fixture::whole();
    spec.families.clear();
    assert!(html(&judgment, &spec).is_err());
    let (judgment, mut spec) = fixture::whole();
    spec.hypotheses.get_mut("H3").unwrap().clauses.clear();
    assert!(html(&judgment, &spec).is_err());
}
