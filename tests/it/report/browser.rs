//! The HTML report in a real browser: nothing overflows, nothing is fetched, nothing is hard to read, and it prints.
//! Skipped, visibly, where there is no Chromium.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use super::page::samples;

const CHROMIUM: &str = "/usr/bin/chromium";

fn chromium(test: &str) -> bool {
    let found = Path::new(CHROMIUM).exists();
    if !found {
        eprintln!("SKIPPED {test}: {CHROMIUM} is absent");
    }
    found
}

fn run(folder: &Path, arguments: &[&str], page: &Path) -> Output {
    let profile = tempfile::tempdir_in(folder).unwrap();
    Command::new(CHROMIUM)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
        .args(["--enable-logging=stderr", "--allow-file-access-from-files"])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .args(arguments)
        .arg(format!("file://{}", page.display()))
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

/// Loads the report in frames of three widths and writes what it measures into the page.
const PROBE: &str = r#"<!DOCTYPE html><meta charset="utf-8"><title>probe</title><body><pre id="out"></pre><script>
const numbers = text => text.match(/[\d.]+/g).map(Number);
const linear = value => (value /= 255) <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
const light = ([r, g, b]) => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
function background(element, view) {
  for (let it = element; it; it = it.parentElement) {
    const found = view.getComputedStyle(it).backgroundColor;
    const parts = found.startsWith("rgb") ? numbers(found) : [];
    if (parts.length === 3 || parts[3] === 1) return parts;
  }
  return [255, 255, 255];
}
function measure(frame) {
  const view = frame.contentWindow, page = frame.contentDocument, root = page.documentElement;
  const wide = [], faint = [], over = [];
  for (const element of page.body.querySelectorAll("*")) {
    const box = element.getBoundingClientRect();
    if (box.width && !element.closest(".scroll, svg, .unseen, .skip") && box.right > root.clientWidth + 1) wide.push(element.className || element.tagName);
    const text = [...element.childNodes].some(node => node.nodeType === 3 && node.textContent.trim());
    if (!text || !box.width || element.closest(".unseen, .skip")) continue;
    const style = view.getComputedStyle(element);
    const ink = light(numbers(element.namespaceURI.endsWith("svg") ? style.fill : style.color)), paper = light(background(element, view));
    const contrast = (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05);
    if (contrast < 4.5) faint.push([element.className.baseVal ?? element.className, contrast.toFixed(2)].join(" "));
  }
  for (const drawing of page.querySelectorAll("svg")) {
    const texts = [...drawing.querySelectorAll(":scope > text")].map(text => text.getBoundingClientRect()).filter(box => box.width);
    texts.forEach((a, i) => texts.slice(i + 1).forEach(b => {
      if (a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 3 && b.top < a.bottom - 3) over.push(drawing.parentElement.className);
    }));
  }
  return {
    width: root.clientWidth, overflow: root.scrollWidth - root.clientWidth, wide: [...new Set(wide)], faint: [...new Set(faint)], over: [...new Set(over)],
    fetched: view.performance.getEntriesByType("resource").map(entry => entry.name), scripts: page.scripts.length,
    dark: view.matchMedia("(prefers-color-scheme: dark)").matches, height: root.scrollHeight, title: page.title,
    unnamed: [...page.querySelectorAll("th:not([scope]), table:not([role]):has(> thead th:not([scope])), figure:not(:has(figcaption))")].length,
  };
}
const widths = [360, 760, 1280];
let left = widths.length;
const found = [];
for (const width of widths) {
  const frame = document.createElement("iframe");
  frame.style = `border:0;height:900px;width:${width}px`;
  frame.onload = () => {
    found.push(measure(frame));
    if (--left === 0) document.getElementById("out").textContent = JSON.stringify(found);
  };
  frame.src = PAGE;
  document.body.append(frame);
}
</script>"#;

fn probe(folder: &Path, name: &str, page: &str, dark: bool) -> (Vec<Value>, String) {
    let file = folder.join(format!("{name}.html"));
    std::fs::write(&file, page).unwrap();
    let wrapper = folder.join(format!("probe-{name}-{dark}.html"));
    std::fs::write(&wrapper, PROBE.replace("PAGE", &format!("\"{name}.html\""))).unwrap();
    let scheme =
        if dark { "--blink-settings=preferredColorScheme=0" } else { "--blink-settings=preferredColorScheme=1" };
    let output =
        run(folder, &["--dump-dom", "--virtual-time-budget=20000", "--window-size=1300,1000", scheme], &wrapper);
    let dom = String::from_utf8_lossy(&output.stdout).into_owned();
    let log = String::from_utf8_lossy(&output.stderr).into_owned();
    let start = dom.find("<pre id=\"out\">").unwrap_or_else(|| panic!("no answer: {log}")) + 14;
    let end = start + dom[start..].find("</pre>").unwrap();
    let json = dom[start..end].replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    (serde_json::from_str(&json).unwrap_or_else(|error| panic!("{error}: {json}; {log}")), log)
}

#[test]
fn a_report_fits_reads_well_and_fetches_nothing_in_both_schemes() {
    if !chromium("a_report_fits_reads_well_and_fetches_nothing_in_both_schemes") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    for (name, page) in samples() {
        for dark in [false, true] {
            let (found, log) = probe(folder.path(), name, &page, dark);
            assert_eq!(found.len(), 3);
            for frame in &found {
                let place = format!("{name}, {} px, dark {dark}", frame["width"]);
                assert_eq!(frame["dark"], dark, "{place}: the scheme was not emulated");
                assert_eq!(frame["overflow"], 0, "{place}: wider than the window: {}", frame["wide"]);
                for list in ["wide", "faint", "over", "fetched"] {
                    assert_eq!(frame[list], serde_json::json!([]), "{place}: {list}");
                }
                assert_eq!(frame["scripts"], 0, "{place}");
                assert_eq!(frame["unnamed"], 0, "{place}: a heading without scope or a figure without caption");
                assert!(frame["height"].as_u64().unwrap() > 700, "{place}: nothing is drawn");
                assert_ne!(frame["title"], "owned", "{place}: a script of the study ran");
            }
            assert!(!log.contains("CONSOLE"), "{name}: the browser complains: {log}");
        }
    }
}

#[test]
fn a_report_prints() {
    if !chromium("a_report_prints") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    for (name, page) in samples() {
        let file = folder.path().join(format!("{name}.html"));
        std::fs::write(&file, page).unwrap();
        let printed: PathBuf = folder.path().join(format!("{name}.pdf"));
        run(folder.path(), &[&format!("--print-to-pdf={}", printed.display()), "--no-pdf-header-footer"], &file);
        let bytes = std::fs::read(&printed).unwrap();
        assert!(bytes.starts_with(b"%PDF-"), "{name}");
        let text = String::from_utf8_lossy(&bytes);
        let pages = text.matches("/Type /Page").count() - text.matches("/Type /Pages").count();
        let most = if name == "many" { 80 } else { 30 };
        assert!((1..=most).contains(&pages), "{name}: {pages} pages");
    }
}
