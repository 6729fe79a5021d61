//! The verdict document against its published schema, with a checker that knows exactly the words the schema uses.

use prespec::report::document;
use serde_json::Value;

use super::fixture;

fn schema() -> Value {
    serde_json::from_str(include_str!("../../../docs/verdict.schema.json")).unwrap()
}

/// Everything that is wrong, with its place.
#[expect(clippy::match_same_arms, reason = "a keyword that says nothing of the value is not one that is satisfied")]
fn check(root: &Value, schema: &Value, value: &Value, at: &str, wrong: &mut Vec<String>) {
    for (word, rule) in schema.as_object().unwrap() {
        match word.as_str() {
            "$schema" | "$id" | "$defs" | "title" | "description" => {}
            "$ref" => {
                let name = rule.as_str().unwrap().strip_prefix("#/$defs/").unwrap();
                check(root, &root["$defs"][name], value, at, wrong);
            }
            "type" => {
                let fits = match rule.as_str().unwrap() {
                    "object" => value.is_object(),
                    "array" => value.is_array(),
                    "string" => value.is_string(),
                    "boolean" => value.is_boolean(),
                    "number" => value.is_number(),
                    "integer" => value.is_u64(),
                    other => panic!("the checker does not know the type {other}"),
                };
                if !fits {
                    wrong.push(format!("{at}: not of type {rule}"));
                }
            }
            "const" if value != rule => wrong.push(format!("{at}: not {rule}")),
            "enum" if !rule.as_array().unwrap().contains(value) => {
                wrong.push(format!("{at}: {value} is none of {rule}"));
            }
            "const" | "enum" => {}
            "pattern" => {
                // The one pattern in use: a digest.
                let prefixed = match rule.as_str().unwrap() {
                    "^sha256:[0-9a-f]{64}$" => true,
                    "^[0-9a-f]{64}$" => false,
                    other => panic!("the checker does not know the pattern {other}"),
                };
                let text = value.as_str().unwrap_or_default();
                let digest = if prefixed { text.strip_prefix("sha256:") } else { Some(text) };
                let fits = digest.is_some_and(|digest| {
                    digest.len() == 64 && digest.chars().all(|c| matches!(c, '0'..='9' | 'a'..='f'))
                });
                if !fits {
                    wrong.push(format!("{at}: {value} is no digest"));
                }
            }
            "minimum" | "maximum" => {
                let (found, bound) = (value.as_f64(), rule.as_f64().unwrap());
                if found.is_some_and(|found| if word == "minimum" { found < bound } else { found > bound }) {
                    wrong.push(format!("{at}: beyond the {word} {bound}"));
                }
            }
            "minItems" | "maxItems" => {
                let (found, bound) = (value.as_array().map(Vec::len), usize::try_from(rule.as_u64().unwrap()).unwrap());
                if found.is_some_and(|found| if word == "minItems" { found < bound } else { found > bound }) {
                    wrong.push(format!("{at}: {word}"));
                }
            }
            "items" => {
                for (index, item) in value.as_array().into_iter().flatten().enumerate() {
                    check(root, rule, item, &format!("{at}[{index}]"), wrong);
                }
            }
            "required" => {
                for name in rule.as_array().unwrap() {
                    if value.get(name.as_str().unwrap()).is_none() {
                        wrong.push(format!("{at}: lacks {name}"));
                    }
                }
            }
            "properties" => {
                for (name, found) in value.as_object().into_iter().flatten() {
                    match rule.get(name) {
                        Some(inner) => check(root, inner, found, &format!("{at}.{name}"), wrong),
                        None => assert_eq!(schema["additionalProperties"], Value::Bool(false), "{at} is open"),
                    }
                }
            }
            "additionalProperties" => {
                assert_eq!(rule, &Value::Bool(false));
                for name in value.as_object().into_iter().flatten().map(|(name, _)| name) {
                    if schema["properties"].get(name).is_none() {
                        wrong.push(format!("{at}: {name} is not in the schema"));
                    }
                }
            }
            other => panic!("the checker does not know the word {other}"),
        }
    }
}

fn problems(document: &Value) -> Vec<String> {
    let schema = schema();
    let mut wrong = Vec::new();
    check(&schema, &schema, document, "$", &mut wrong);
    wrong
}

fn parsed((judgment, _): (prespec::decide::judgment::Judgment, prespec::spec::Spec)) -> Value {
    serde_json::from_str(&document::bytes(&judgment).unwrap()).unwrap()
}

#[test]
fn documents_fit_the_schema() {
    for sample in [fixture::whole(), fixture::empty(), fixture::many(), fixture::hostile()] {
        assert_eq!(problems(&parsed(sample)), Vec::<String>::new());
    }
    let (mut judgment, spec) = fixture::whole();
    judgment.exploratory = true;
    judgment.freeze_id = None;
    assert_eq!(problems(&parsed((judgment, spec))), Vec::<String>::new());
}

#[test]
fn the_schema_refuses_what_is_no_document() {
    let good = parsed(fixture::whole());
    let mut changes: Vec<(&str, Value)> = Vec::new();
    let mut change = |name: &'static str, edit: &dyn Fn(&mut Value)| {
        let mut document = good.clone();
        edit(&mut document);
        changes.push((name, document));
    };
    change("another schema", &|it| it["schema"] = "prespec-verdict/2".into());
    change("no spec digest", &|it| drop(it.as_object_mut().unwrap().remove("spec_digest")));
    change("a short digest", &|it| it["records_digest"] = "sha256:00".into());
    change("an unknown member", &|it| it["extra"] = true.into());
    change("an unknown class", &|it| it["hypotheses"][0]["sets"][0]["verdict"]["class"] = "proved".into());
    change("a count below zero", &|it| it["flows"][0]["planned"] = (-1).into());
    change("a p-value above one", &|it| it["families"][0]["members"][0]["p"] = 1.5.into());
    change("a text for a number", &|it| it["figures"][0]["estimate"]["value"] = "0.1".into());
    change("another limiting sentence", &|it| it["sentence"] = "All is well.".into());
    for (name, document) in changes {
        assert!(!problems(&document).is_empty(), "the schema let through: {name}");
    }
}
