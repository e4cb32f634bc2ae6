//! Half-typed texts and malformed messages do not end the server.
use serde_json::json;

use super::client::{Client, position};

/// A scene that is typed letter by letter.
const TYPED: &str =
    "def é 2;\nclass c { isa \"𝄞\"; }\nframe a { rpy [0, é*(pi/4), 0]; geometry { shape box; } }\n";

#[test]
fn every_prefix_is_answered() {
    let mut client = Client::new();
    client.open("typed.robray", "");
    let requests = [
        "hover",
        "completion",
        "definition",
        "documentSymbol",
        "foldingRange",
        "prepareRename",
    ];
    for (offset, _) in TYPED.char_indices() {
        let text = &TYPED[..offset];
        client.change("typed.robray", text);
        let params = json!({
            "textDocument": { "uri": client.uri("typed.robray") },
            "position": position(text, offset),
        });
        for request in requests {
            let answer = client.request(&format!("textDocument/{request}"), params.clone());
            assert!(answer.is_ok(), "{request} after {text:?}: {answer:?}");
        }
    }
}

#[test]
fn malformed_messages_are_errors() {
    let mut client = Client::new();
    let mut refused = |method: &str, params| client.request(method, params).unwrap_err();
    assert_eq!(
        refused("textDocument/nonsense", json!({})),
        "`textDocument/nonsense` is not supported"
    );
    assert!(refused("textDocument/hover", json!({ "position": 3 })).contains("invalid type"));
    let nowhere = json!({
        "textDocument": { "uri": "file:///nowhere.robray" },
        "position": { "line": 0, "character": 0 },
    });
    assert_eq!(
        refused("textDocument/hover", nowhere),
        "`file:///nowhere.robray` is not open"
    );
    client.notify("textDocument/didChange", json!({ "textDocument": [] }));
    client.notify("textDocument/didOpen", json!({
        "textDocument": { "uri": "untitled:1", "languageId": "robray", "version": 1, "text": "" },
    }));
    assert!(client.open("fine.robray", "frame a { }\n").is_empty());
}

#[test]
fn positions_out_of_the_text_count_as_its_end() {
    let mut client = Client::new();
    client.open("a.robray", "frame a { }");
    let range = json!({
        "start": { "line": 7, "character": 7 },
        "end": { "line": 0, "character": 4_000_000_000_u32 },
    });
    let diagnostics = client.edit(
        "a.robray",
        json!([{ "range": range, "text": "\nframe a { }" }]),
    );
    assert_eq!(
        diagnostics[0]["code"], "robray::duplicate-frame",
        "{diagnostics:?}"
    );
}
