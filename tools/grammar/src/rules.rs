//! Rules of the grammar, in tree-sitter's own form of a grammar, `grammar.json`.
use serde_json::{Value as Json, json};

use crate::{identifier, words};

/// Returns the grammar.
pub(crate) fn grammar() -> Json {
    let mut rules = statements();
    if let (Json::Object(all), Json::Object(values)) = (&mut rules, values()) {
        all.extend(values);
    }
    let mut grammar = json!({
        "$schema": "https://tree-sitter.github.io/tree-sitter/assets/schemas/grammar.schema.json",
        "name": "robray",
        "rules": rules,
        "extras": [pattern(r"[ \t\r\n\u{FEFF}]"), symbol("comment")],
    });
    for empty in [
        "conflicts",
        "precedences",
        "externals",
        "inline",
        "supertypes",
    ] {
        grammar[empty] = json!([]);
    }
    grammar
}

/// Returns the rules of statements and blocks; the first one is that of a file.
fn statements() -> Json {
    let closures = choice(words::closures().into_iter().map(string));
    let name = || field("name", choice([symbol("identifier"), symbol("string")]));
    let pair = |keyword: Json| {
        let one = field("first", choice([symbol("identifier"), symbol("string")]));
        let other = field("second", choice([symbol("identifier"), symbol("string")]));
        seq([keyword, one, other, string(";")])
    };
    let attributes = || repeat(symbol("attribute"));
    let items = repeat(choice(["attribute", "frame", "geometry"].map(symbol)));
    let statements = [
        "include",
        "definition",
        "class",
        "frame",
        "allowed_pair",
        "closure",
    ];
    json!({
        "source_file": repeat(choice(statements.map(symbol))),
        "include": seq([string("include"), field("path", symbol("string"))]),
        "definition": seq([
            string("def"),
            field("name", symbol("identifier")),
            field("value", symbol("_expression")),
            string(";"),
        ]),
        "class": seq([string("class"), name(), symbol("class_body")]),
        "class_body": braces(attributes()),
        "frame": seq([string("frame"), name(), symbol("frame_body")]),
        "frame_body": braces(items),
        "geometry": seq([string("geometry"), symbol("geometry_body")]),
        "geometry_body": braces(attributes()),
        "allowed_pair": pair(string("allow_collision")),
        "closure": pair(closures),
        "attribute": seq([
            field("name", symbol("identifier")),
            field("value", choice(["string", "array", "_expression"].map(symbol))),
            string(";"),
        ]),
    })
}

/// Returns the rules of values, names and comments.
fn values() -> Json {
    json!({
        // Empty elements, as in `[1,,2,]`, are permitted.
        "array": seq([
            string("["),
            repeat(string(",")),
            optional(symbol("_elements")),
            string("]"),
        ]),
        "_elements": seq([
            symbol("_expression"),
            optional(seq([
                json!({ "type": "REPEAT1", "content": string(",") }),
                optional(symbol("_elements")),
            ])),
        ]),
        "_expression": choice([
            "number", "identifier", "constant", "negation", "operation", "parenthesized",
        ].map(symbol)),
        "parenthesized": seq([string("("), symbol("_expression"), string(")")]),
        "negation": prec("PREC", 4, seq([string("-"), symbol("_expression")])),
        "operation": operations(),
        "constant": choice([string("π")].into_iter().chain(words::CONSTANTS.map(string))),
        "identifier": pattern(&identifier::pattern(&words::all())),
        // `1s2` is two tokens, though `1.5s2` is one; `5mm` is two.
        "number": pattern(
            r"([0-9]+\.[0-9]*|\.[0-9]+)([eEdDsS][+-]?[0-9]+)?|[0-9]+([eEdD][+-]?[0-9]+)?",
        ),
        "string": pattern(r#""[^"]*""#),
        "comment": choice([
            pattern(r"#[^\n]*"),
            pattern(r"//[^\n]*"),
            pattern(r"/\*([^*]|\*+[^*/])*\*+/"),
        ]).into_token(),
    })
}

/// Returns the operations of two operands. A sign binds tighter than a power, and powers are right-associative.
fn operations() -> Json {
    let operation = |(kind, strength, signs): (&str, i32, &[&str])| {
        let operator = field("operator", choice(signs.iter().map(|sign| string(sign))));
        let fields = [
            field("left", symbol("_expression")),
            operator,
            field("right", symbol("_expression")),
        ];
        prec(kind, strength, seq(fields))
    };
    let operations: [(&str, i32, &[&str]); 3] = [
        ("PREC_RIGHT", 3, &["**", "^"]),
        ("PREC_LEFT", 2, &["*", "/"]),
        ("PREC_LEFT", 1, &["+", "-"]),
    ];
    choice(operations.map(operation))
}

/// Conversion to a single token.
trait IntoToken {
    fn into_token(self) -> Json;
}

impl IntoToken for Json {
    fn into_token(self) -> Json {
        json!({ "type": "TOKEN", "content": self })
    }
}

fn symbol(name: &str) -> Json {
    json!({ "type": "SYMBOL", "name": name })
}

fn string(text: &str) -> Json {
    json!({ "type": "STRING", "value": text })
}

fn pattern(text: &str) -> Json {
    json!({ "type": "PATTERN", "value": text })
}

fn repeat(content: Json) -> Json {
    json!({ "type": "REPEAT", "content": content })
}

fn field(name: &str, content: Json) -> Json {
    json!({ "type": "FIELD", "name": name, "content": content })
}

fn prec(kind: &str, value: i32, content: Json) -> Json {
    json!({ "type": kind, "value": value, "content": content })
}

fn seq(members: impl IntoIterator<Item = Json>) -> Json {
    json!({ "type": "SEQ", "members": members.into_iter().collect::<Vec<_>>() })
}

fn choice(members: impl IntoIterator<Item = Json>) -> Json {
    json!({ "type": "CHOICE", "members": members.into_iter().collect::<Vec<_>>() })
}

fn optional(content: Json) -> Json {
    choice([content, json!({ "type": "BLANK" })])
}

fn braces(content: Json) -> Json {
    seq([string("{"), content, string("}")])
}
