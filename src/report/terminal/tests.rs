//! Lines, columns and colour of the terminal page.

use super::page::{Page, Paint, clean};

#[test]
fn long_texts_are_wrapped_under_their_heading_and_long_words_cut() {
    let mut page = Page::new(false, 40);
    page.paragraph(2, "because  ", "a text that is longer than the room that it has");
    page.paragraph(0, "", &"w".repeat(90));
    let text = page.finish();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "  because  a text that is longer than");
    assert_eq!(lines[1], "           the room that it has");
    assert_eq!(lines[2].len(), 40);
    assert_eq!(lines[4].len(), 10);
}

#[test]
fn rows_that_fit_share_a_line_and_others_do_not() {
    let mut page = Page::new(false, 100);
    page.row(2, "model opus", "supported", "gap +14.0 pp");
    page.row(2, "model opus", "supported", &"long ".repeat(20));
    let text = page.finish();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "  model opus                 supported              gap +14.0 pp");
    assert!(lines[1].ends_with("supported") && lines[2].starts_with("      long"));
}

#[test]
fn control_characters_are_replaced() {
    assert_eq!(clean("a\nb\tc\u{1b}[1m\u{202e}"), "a b c\u{fffd}[1m\u{fffd}");
}

#[test]
fn colours_surround_whole_lines_only_when_asked() {
    let mut page = Page::new(true, 100);
    page.painted(0, Paint::Good, "yes");
    assert_eq!(page.finish(), "\u{1b}[1;32myes\u{1b}[0m\n");
}
