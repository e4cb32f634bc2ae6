//! Completion in scenes: keywords, attributes, names, and the words of attributes.

use std::path::Path;

use lsp_types::{CompletionItem, CompletionItemKind, InsertTextFormat};
use morse_robray::{Container, Context, Expected, Symbol};
use morse_scene::model::{ATTRIBUTES, Attribute, Kind};

use super::{Scene, names};
use crate::program::Program;

/// Completion at a position of a scene.
pub(crate) struct Completion<'a> {
    pub(crate) program: &'a dyn Program,
    pub(crate) scene: &'a Scene,
    /// Directory of the file.
    pub(crate) directory: &'a Path,
    pub(crate) context: &'a Context,
}

/// Keywords that start a statement, with what follows them.
const STATEMENTS: [(&str, &str, &str); 7] = [
    (
        "frame",
        "frame ${1:name} {\n  $0\n}",
        "a frame: a coordinate system, with a joint and geometry",
    ),
    (
        "class",
        "class ${1:name} {\n  $0\n}",
        "a set of attributes to inherit from",
    ),
    (
        "def",
        "def ${1:name} ${2:value};",
        "a definition: a number with a name",
    ),
    (
        "include",
        "include \"$1\"",
        "all statements of another file",
    ),
    (
        "allow_collision",
        "allow_collision ${1:frame} ${2:frame};",
        "two frames that may overlap without contact",
    ),
    (
        "connect",
        "connect ${1:frame} ${2:frame};",
        "two frames whose origins coincide: closes a loop of joints",
    ),
    (
        "weld",
        "weld ${1:frame} ${2:frame};",
        "two frames that coincide: closes a loop of joints",
    ),
];

/// Blocks within a frame.
const BLOCKS: [(&str, &str, &str); 2] = [
    (
        "frame",
        "frame ${1:name} {\n  $0\n}",
        "a frame within this one",
    ),
    (
        "geometry",
        "geometry { $0 }",
        "a shape, at the pose of the frame",
    ),
];

impl Completion<'_> {
    /// Returns all items; the client selects those that begin with the word at the position.
    pub(crate) fn items(&self) -> Vec<CompletionItem> {
        match &self.context.expected {
            Expected::Nothing => Vec::new(),
            Expected::Statement => STATEMENTS.map(snippet).to_vec(),
            Expected::Member(container) => self.members(*container),
            Expected::Value(_, name) => self.values(name),
            Expected::Expression => self.numbers(),
            Expected::Frame => self.named(Symbol::Frame, CompletionItemKind::VARIABLE),
            Expected::Path => self.paths(),
        }
    }

    fn members(&self, container: Container) -> Vec<CompletionItem> {
        let takes = |attribute: &&Attribute| match container {
            Container::Frame => attribute.frame,
            Container::Geometry => attribute.geometry,
            Container::Class => attribute.class,
        };
        let attributes = ATTRIBUTES.iter().filter(takes);
        let attributes = attributes.map(|attribute| CompletionItem {
            detail: Some(attribute.kind.demand()),
            documentation: self.program.scene_docs(attribute.name).map(crate::markdown),
            insert_text: Some(template(attribute)),
            insert_text_format: Some(InsertTextFormat::SNIPPET),
            ..item(attribute.name, CompletionItemKind::PROPERTY)
        });
        let mut items: Vec<CompletionItem> = attributes.collect();
        if container == Container::Frame {
            items.extend(BLOCKS.map(snippet));
        }
        items
    }

    fn values(&self, name: &str) -> Vec<CompletionItem> {
        let Some(attribute) = Attribute::find(name) else {
            return Vec::new();
        };
        match (attribute.kind, name) {
            (Kind::Word(words), _) => words
                .iter()
                .map(|word| CompletionItem {
                    documentation: self.program.scene_docs(word).map(crate::markdown),
                    ..item(word, CompletionItemKind::ENUM_MEMBER)
                })
                .collect(),
            (Kind::Name, "isa") => self.named(Symbol::Class, CompletionItemKind::CLASS),
            (Kind::Name, "parent") => self.named(Symbol::Frame, CompletionItemKind::VARIABLE),
            (Kind::Name, "variable") => self.named(Symbol::Variable, CompletionItemKind::FIELD),
            (Kind::Name, _) => self.paths(),
            _ => self.numbers(),
        }
    }

    fn numbers(&self) -> Vec<CompletionItem> {
        let constants = [("pi", "3.14159…"), ("deg", "pi/180")];
        let constants = constants.map(|(name, value)| CompletionItem {
            detail: Some(value.to_owned()),
            ..item(name, CompletionItemKind::CONSTANT)
        });
        let mut items = self.named(Symbol::Definition, CompletionItemKind::CONSTANT);
        items.extend(constants);
        items
    }

    /// Returns all declared names of a kind.
    fn named(&self, symbol: Symbol, kind: CompletionItemKind) -> Vec<CompletionItem> {
        let declared = names::declared(self.scene, symbol);
        let declared = declared.into_keys().filter(|name| !name.is_empty());
        declared
            .map(|name| CompletionItem {
                insert_text: Some(match self.context.quoted {
                    true => name.to_owned(),
                    false => names::quoted(name, ""),
                }),
                ..item(name, kind)
            })
            .collect()
    }

    /// Returns the files that the path at the position can name: those of the directory, and embedded ones.
    fn paths(&self) -> Vec<CompletionItem> {
        if !self.context.quoted {
            return Vec::new();
        }
        files(self.program, self.directory)
    }
}

/// Returns the files that a path can name: those of the directory, and embedded ones.
pub(crate) fn files(program: &dyn Program, directory: &Path) -> Vec<CompletionItem> {
    let embedded = program.embedded().into_iter().map(|name| CompletionItem {
        detail: Some("embedded in the program".to_owned()),
        ..item(name, CompletionItemKind::FILE)
    });
    let mut items: Vec<CompletionItem> = embedded.collect();
    let entries = directory.read_dir().into_iter().flatten().flatten();
    for entry in entries.take(1_000) {
        if let Ok(name) = entry.file_name().into_string()
            && !name.starts_with('.')
        {
            let is_directory = entry.path().is_dir();
            items.push(match is_directory {
                true => item(&format!("{name}/"), CompletionItemKind::FOLDER),
                false => item(&name, CompletionItemKind::FILE),
            });
        }
    }
    items.sort_by(|one, other| one.label.cmp(&other.label));
    items
}
pub(crate) fn item(label: &str, kind: CompletionItemKind) -> CompletionItem {
    CompletionItem {
        label: label.to_owned(),
        kind: Some(kind),
        ..CompletionItem::default()
    }
}

fn snippet((label, text, detail): (&str, &str, &str)) -> CompletionItem {
    CompletionItem {
        detail: Some(detail.to_owned()),
        insert_text: Some(text.to_owned()),
        insert_text_format: Some(InsertTextFormat::SNIPPET),
        ..item(label, CompletionItemKind::KEYWORD)
    }
}

/// Returns an attribute with placeholders for its value.
fn template(attribute: &Attribute) -> String {
    let name = attribute.name;
    let value = match attribute.kind {
        Kind::Numbers(2) => "[${1:0}, ${2:0}]",
        Kind::Numbers(4) => "[${1:0}, ${2:0}, ${3:0}, ${4:1}]",
        Kind::Numbers(_) | Kind::ThreeOrMore | Kind::TwoOrThree => "[${1:0}, ${2:0}, ${3:0}]",
        Kind::Interval => "[${1:lower}, ${2:upper}]",
        Kind::Inertia => "[${1:ixx}, ${2:iyy}, ${3:izz}, ${4:0}, ${5:0}, ${6:0}]",
        Kind::Name if matches!(name, "mesh" | "image") => "\"$1\"",
        Kind::Number | Kind::Name | Kind::Word(_) => "$1",
    };
    format!("{name} {value};")
}
