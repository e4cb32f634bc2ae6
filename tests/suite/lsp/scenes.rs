//! Requests about scenes.
use serde_json::json;

use super::client::{Client, hover_text, labels, slice};

const ARM: &str = "\
def length 0.4;
def half length/2;
class link { color [0.2, 0.3, 0.4]; density 700; }
frame base {
  translation [1, 0, 0.5];
  rpy [0, 0, pi/2];
  frame elbow {
    translation [length, half*2, 0];
    type revolute;
    axis [0, 0, 1];
    limit_position [-1, 45*deg];
    geometry { isa link; shape cylinder; radius 0.05; height half; }
  }
}
frame \"left hand\" { parent elbow; }
allow_collision base \"left hand\";
";

#[test]
fn diagnostics_follow_the_text() {
    let mut client = Client::new();
    assert_eq!(client.open("arm.robray", ARM), [] as [serde_json::Value; 0]);
    let wrong = ARM.replace("density", "densty");
    let diagnostics = client.change("arm.robray", &wrong);
    assert_eq!(diagnostics.len(), 1, "{diagnostics:?}");
    assert_eq!(diagnostics[0]["code"], "robray::unknown-attribute");
    assert_eq!(diagnostics[0]["severity"], 1);
    assert_eq!(slice(&wrong, &diagnostics[0]["range"]), "densty");
    let message = diagnostics[0]["message"].as_str().unwrap();
    assert!(message.contains("did you mean `density`?"), "{message}");
    assert!(client.change("arm.robray", ARM).is_empty());
}

#[test]
fn changes_are_ranges_of_utf_16_units() {
    let mut client = Client::new();
    let text = "# 𝄞\nframe \"𝄞 é\" { mass 1; } frame b { parent c; }\n";
    let diagnostics = client.open("clef.robray", text);
    assert_eq!(slice(text, &diagnostics[0]["range"]), "c");
    let start = super::client::position(text, text.find("c;").unwrap());
    let end = super::client::position(text, text.find("; }\n").unwrap());
    let range = json!({ "start": start, "end": end });
    let diagnostics = client.edit(
        "clef.robray",
        json!([{ "range": range, "text": "\"𝄞 é\"" }]),
    );
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
}

#[test]
fn a_related_position_is_shown() {
    let mut client = Client::new();
    let text = "class a { }\nclass a { }\n";
    let diagnostics = client.open("twice.robray", text);
    let related = &diagnostics[0]["relatedInformation"][0];
    assert_eq!(related["location"]["range"]["start"]["line"], 0);
    assert_eq!(related["message"], "the class of this name");
}

#[test]
fn open_texts_replace_files_that_others_include() {
    let mut client = Client::new();
    client.write(
        "main.robray",
        "include \"part.robray\"\nframe a { isa steel; parent b; }\n",
    );
    client.write("part.robray", "class steel { }\nframe b { }\n");
    let text = "include \"part.robray\"\nframe a { isa steel; parent b; }\n";
    assert!(client.open("main.robray", text).is_empty());
    client.open("part.robray", "class steel { }\nframe b { }\n");
    client.change("part.robray", "class steel { }\nframe c { mas 1; }\n");
    let diagnostics = client.known("part.robray");
    assert_eq!(
        diagnostics[0]["code"], "robray::unknown-attribute",
        "{diagnostics:?}"
    );
    // Files are published in the order of their names: that of the including file is there already.
    let diagnostics = client.known("main.robray");
    assert_eq!(
        diagnostics[0]["code"], "robray::unknown-parent",
        "{diagnostics:?}"
    );
    // A part is checked together with the scene that includes it.
    assert!(
        client
            .change("part.robray", "frame b { isa steel; }\nclass steel { }\n")
            .iter()
            .all(|diagnostic| { diagnostic["code"] == "robray::unknown-class" })
    );
    client.close("part.robray");
    assert!(
        client.change("main.robray", text).is_empty(),
        "the file on the disk counts again"
    );
}

#[test]
fn hover_shows_documentation_values_and_poses() {
    let mut client = Client::new();
    client.open("arm.robray", ARM);
    let mut hover = |before: &str| {
        let answer = client.ask("textDocument/hover", "arm.robray", before);
        (
            hover_text(&answer).to_owned(),
            slice(ARM, &answer["range"]).to_owned(),
        )
    };
    let (text, range) = hover("class link { color [0.2, 0.3, 0.4]; dens");
    assert!(
        text.contains("density of the material") && text.contains("density 700;"),
        "{text}"
    );
    assert_eq!(range, "density");
    assert_eq!(
        hover("limit_position [-1, 4").0,
        "```robray\n45*deg = 0.785398163\n```\n"
    );
    let (text, range) = hover("height h");
    assert_eq!(text, "```robray\ndef half length/2 = 0.2\n```\n");
    assert_eq!(range, "half");
    let (text, _) = hover("parent elbow");
    // Translation [0.4, 0.4, 0] in a frame that is turned by a quarter about z, at [1, 0, 0.5].
    assert!(
        text.contains("| the root | 0.6, 0.4, 0.5 | 0, 0, 1.570796327 |"),
        "{text}"
    );
    assert!(
        text.contains("revolute joint `elbow` about [0, 0, 1], from -1 to 0.785398163 rad"),
        "{text}"
    );
    let (text, _) = hover("isa li");
    assert!(text.contains("color [0.2, 0.3, 0.4];"), "{text}");
    let (text, _) = hover("type rev");
    assert!(text.contains("`fixed`, `revolute`"), "{text}");
    let nothing = client.ask("textDocument/hover", "arm.robray", "def length 0.4;");
    assert_eq!(nothing, json!(null));
}

#[test]
fn definitions_are_found_through_includes() {
    let mut client = Client::new();
    let included = "class steel { density 7800; }\ndef size 2;\nframe \"the base\" { }\n";
    client.write("part.robray", included);
    let text = "include \"part.robray\"\nframe a { parent \"the base\"; mass size; geometry { isa steel; shape box; dimension [1, 1, 1]; } }\n";
    client.open("main.robray", text);
    let uri = client.uri("part.robray");
    for (before, name) in [
        ("isa st", "steel"),
        ("mass si", "size"),
        ("parent \"the", "\"the base\""),
    ] {
        let answer = client.ask("textDocument/definition", "main.robray", before);
        assert_eq!(answer[0]["uri"], uri, "{before}");
        assert_eq!(slice(included, &answer[0]["range"]), name);
    }
    let answer = client.ask("textDocument/definition", "main.robray", "include \"pa");
    assert_eq!(answer["uri"], uri);
}

#[test]
fn an_embedded_file_is_shown_as_a_copy() {
    let mut client = Client::new();
    client.open("main.robray", "include \"objects/ball.robray\"\n");
    let answer = client.ask("textDocument/definition", "main.robray", "include \"ob");
    let path = answer["uri"]
        .as_str()
        .unwrap()
        .strip_prefix("file://")
        .unwrap();
    let copy = std::fs::read_to_string(path).unwrap();
    assert_eq!(
        Some(copy.as_str()),
        morse_sim::scene::assets::text("objects/ball.robray")
    );
}

#[test]
fn references_and_names_of_all_scenes_of_the_workspace() {
    let mut client = Client::new();
    let included = "frame base { frame tip { } }\nallow_collision base tip;\n";
    let main = "include \"part.robray\"\nframe lid { parent \"base\"; }\n";
    client.write("part.robray", included);
    client.write("main.robray", main);
    client.write("other.robray", "frame base { }\nframe x { parent base; }\n");
    client.open("part.robray", included);
    let mut params = client.at("part.robray", "frame base");
    params["context"] = json!({ "includeDeclaration": true });
    let references = client
        .request("textDocument/references", params.clone())
        .unwrap();
    let mut lines: Vec<String> = references
        .as_array()
        .unwrap()
        .iter()
        .map(|reference| {
            let uri = reference["uri"].as_str().unwrap();
            let name = uri.rsplit('/').next().unwrap();
            format!("{name}:{}", reference["range"]["start"]["line"])
        })
        .collect();
    lines.sort();
    assert_eq!(lines, ["main.robray:1", "part.robray:0", "part.robray:1"]);
    params["newName"] = json!("the base");
    let edit = client
        .request("textDocument/rename", params.clone())
        .unwrap();
    let changes = edit["changes"].as_object().unwrap();
    assert_eq!(changes.len(), 2, "{edit}");
    let included_edits = &changes[&client.uri("part.robray")];
    assert_eq!(included_edits.as_array().unwrap().len(), 2);
    assert_eq!(included_edits[0]["newText"], "\"the base\"");
    params["newName"] = json!("tip");
    let refused = client.request("textDocument/rename", params).unwrap_err();
    assert_eq!(refused, "the name `tip` is taken");
}

#[test]
fn completion_fits_the_position() {
    let mut client = Client::new();
    let mut complete = |text: &str| {
        let (before, after) = text.split_once('|').unwrap();
        let whole = format!("{ARM}{before}{after}");
        client.open("arm.robray", &whole);
        let at = format!("{ARM}{before}");
        let answer = client.ask("textDocument/completion", "arm.robray", &at);
        let labels: Vec<String> = labels(&answer).into_iter().map(str::to_owned).collect();
        labels
    };
    assert!(complete("fra|").contains(&"frame".to_owned()));
    let words = complete("frame x { |");
    assert!(words.contains(&"translation".to_owned()) && words.contains(&"geometry".to_owned()));
    assert!(
        !words.contains(&"radius".to_owned()),
        "a geometry's attribute"
    );
    assert_eq!(complete("frame x { geometry { isa |"), ["link"]);
    assert!(complete("frame x { parent |").contains(&"left hand".to_owned()));
    assert_eq!(
        complete("frame x { type |; }"),
        ["fixed", "revolute", "prismatic", "floating"]
    );
    assert!(complete("frame x { mass ha|").contains(&"half".to_owned()));
    assert!(complete("include \"|").contains(&"robots/atrv.robray".to_owned()));
    assert!(complete("# fra|").is_empty());
}

#[test]
fn the_outline_and_the_folds_have_all_blocks() {
    let mut client = Client::new();
    client.open("arm.robray", ARM);
    let params = json!({ "textDocument": { "uri": client.uri("arm.robray") } });
    let symbols = client
        .request("textDocument/documentSymbol", params.clone())
        .unwrap();
    let names: Vec<&str> = symbols
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|symbol| symbol["name"].as_str())
        .collect();
    assert_eq!(names, ["length", "half", "link", "base", "left hand"]);
    assert_eq!(symbols[3]["children"][0]["name"], "elbow");
    assert_eq!(symbols[3]["children"][0]["children"][0]["name"], "cylinder");
    let folds = client.request("textDocument/foldingRange", params).unwrap();
    let lines: Vec<(u64, u64)> = folds
        .as_array()
        .unwrap()
        .iter()
        .map(|fold| {
            (
                fold["startLine"].as_u64().unwrap(),
                fold["endLine"].as_u64().unwrap(),
            )
        })
        .collect();
    assert_eq!(lines, [(3, 13), (6, 12)]);
}

#[test]
fn formatting_changes_what_the_formatter_changes() {
    let mut client = Client::new();
    let text = "frame a {\n      mass   1;\n}\n";
    client.open("a.robray", text);
    let params = json!({
        "textDocument": { "uri": client.uri("a.robray") },
        "options": { "tabSize": 2, "insertSpaces": true },
    });
    let edits = client
        .request("textDocument/formatting", params.clone())
        .unwrap();
    let start = slice(
        text,
        &json!({ "start": { "line": 0, "character": 0 }, "end": edits[0]["range"]["start"] }),
    );
    let end = slice(
        text,
        &json!({ "start": edits[0]["range"]["end"], "end": { "line": 3, "character": 0 } }),
    );
    let formatted = format!("{start}{}{end}", edits[0]["newText"].as_str().unwrap());
    assert_eq!(formatted, "frame a {\n  mass 1;\n}\n");
    client.change("a.robray", &formatted);
    assert_eq!(
        client
            .request("textDocument/formatting", params.clone())
            .unwrap(),
        json!([])
    );
    client.change("a.robray", "frame a { mass");
    assert_eq!(
        client.request("textDocument/formatting", params).unwrap(),
        json!(null)
    );
}

#[test]
fn suggestions_can_be_applied() {
    let mut client = Client::new();
    let text = "frame a { mas 1; }\nframe b { mass 2 }\nframe c { parent \"aa\"; }\n";
    let diagnostics = client.open("a.robray", text);
    let params = json!({
        "textDocument": { "uri": client.uri("a.robray") },
        "range": diagnostics[0]["range"],
        "context": { "diagnostics": diagnostics },
    });
    let actions = client.request("textDocument/codeAction", params).unwrap();
    let titles: Vec<&str> = actions
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|action| action["title"].as_str())
        .collect();
    assert_eq!(
        titles,
        ["Replace by `mass`", "Insert `;`", "Replace by `a`"]
    );
    let edit = &actions[2]["edit"]["changes"][&client.uri("a.robray")][0];
    assert_eq!(edit["newText"], "\"a\"");
    assert_eq!(slice(text, &edit["range"]), "\"aa\"");
}
