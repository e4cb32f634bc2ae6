//! XML as a tree in which every element and attribute knows its place.
//!
//! Documents of strangers are refused where they cost more than they are worth: document types (and with them entities
//! that multiply), deep nesting, and files beyond any robot.

mod problem;

use morse_diagnostics::{Diagnostic, SourceId, Span};
use roxmltree::{Document, Node, NodeType, ParsingOptions};

/// Levels of elements, at most.
const DEEPEST: usize = 200;

/// Elements, texts and comments of a file, at most.
const MOST_NODES: u32 = 2_000_000;

/// Namespaces of xacro, by whatever prefix.
const XACRO: &[&str] = &[
    "http://www.ros.org/wiki/xacro",
    "http://ros.org/wiki/xacro",
    "http://wiki.ros.org/xacro",
    "http://playerstage.sourceforge.net/gazebo/xmlschema/#interface",
];

/// An element with all that is in it.
#[derive(Clone, Debug, PartialEq)]
pub struct Element {
    /// Name as it is written, with the prefix; that of xacro's namespace is `xacro`, however it is written.
    pub name: String,
    /// Place of `<` and the name.
    pub span: Span,
    /// Attributes in the order of the file; declarations of namespaces are left out.
    pub attributes: Vec<Attribute>,
    /// Elements and texts in it.
    pub content: Vec<Content>,
}

/// A part of an element.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// An element.
    Element(Element),
    /// Text between elements.
    Text(String, Span),
}

/// An attribute with its places.
#[derive(Clone, Debug, PartialEq)]
pub struct Attribute {
    /// Name with the prefix.
    pub name: String,
    /// Value, with references replaced.
    pub value: String,
    /// Place of the whole.
    pub span: Span,
    /// Place of the value, without quotes.
    pub value_span: Span,
}

impl Element {
    /// The attribute of a name.
    #[must_use]
    pub fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.attributes
            .iter()
            .find(|attribute| attribute.name == name)
    }

    /// The elements in it.
    pub fn elements(&self) -> impl Iterator<Item = &Self> {
        self.content.iter().filter_map(|part| match part {
            Content::Element(element) => Some(element),
            Content::Text(..) => None,
        })
    }

    /// The elements of a name in it.
    pub fn named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Self> {
        self.elements().filter(move |element| element.name == name)
    }

    /// Text directly in it, joined and without blanks around it.
    #[must_use]
    pub fn text(&self) -> String {
        let texts = self.content.iter().filter_map(|part| match part {
            Content::Text(text, _) => Some(text.as_str()),
            Content::Element(_) => None,
        });
        texts.collect::<String>().trim().to_owned()
    }
}

/// Parses a document and returns its root element.
///
/// # Errors
///
/// The first breach of the rules of XML, with its place.
pub fn parse(text: &str, source: SourceId) -> Result<Element, Box<Diagnostic>> {
    let start = if text.starts_with('\u{FEFF}') { 3 } else { 0 };
    // The parser calls itself for each level, so that the levels are counted first.
    if let Some(at) = too_deep(text) {
        return Err(Box::new(problem::too_deep(source, at, DEEPEST)));
    }
    let options = ParsingOptions {
        allow_dtd: false,
        nodes_limit: MOST_NODES,
        ..ParsingOptions::default()
    };
    let body = text.get(start..).unwrap_or_default();
    let reader = Reader {
        text: body,
        source,
        start,
    };
    match Document::parse_with_options(body, options) {
        Ok(document) => Ok(reader.element(&document.root_element())),
        Err(error) => Err(Box::new(problem::syntax(&error, body, source, start))),
    }
}

/// Place where elements are nested too deeply.
fn too_deep(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(begin) = text.get(at..).and_then(|rest| rest.find('<')) {
        let begin = at + begin;
        let rest = text.get(begin..).unwrap_or_default();
        let skip = [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>")];
        let skip = skip.iter().find(|(open, _)| rest.starts_with(open));
        at = begin
            + match skip {
                Some((open, close)) => {
                    let inside = rest.get(open.len()..).unwrap_or_default();
                    open.len() + inside.find(close)? + close.len()
                }
                None => tag_length(rest),
            };
        let tag = text.get(begin..at).unwrap_or_default();
        if tag.starts_with("</") {
            depth = depth.saturating_sub(1);
        } else if skip.is_none() && !tag.ends_with("/>") {
            depth += 1;
            if depth > DEEPEST {
                return Some(begin);
            }
        }
    }
    None
}

/// Bytes of the tag that a text begins with; values in quotes may hold `>`.
fn tag_length(text: &str) -> usize {
    let mut quote = None;
    for (at, byte) in text.bytes().enumerate() {
        match (quote, byte) {
            (Some(open), byte) if byte == open => quote = None,
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'>') => return at + 1,
            _ => {}
        }
    }
    text.len()
}

struct Reader<'t> {
    text: &'t str,
    source: SourceId,
    /// Bytes before the text.
    start: usize,
}

impl Reader<'_> {
    fn span(&self, range: std::ops::Range<usize>) -> Span {
        Span::new(
            self.source,
            range.start + self.start..range.end + self.start,
        )
    }

    fn element(&self, node: &Node<'_, '_>) -> Element {
        let from = node.range().start + 1;
        let rest = self.text.get(from..).unwrap_or_default();
        let is_end = |letter: char| letter.is_whitespace() || ['/', '>'].contains(&letter);
        let written = rest.split(is_end).next().unwrap_or_default();
        let tag = node.tag_name();
        let is_xacro = tag.namespace().is_some_and(|uri| XACRO.contains(&uri));
        let name = match written.contains(':') && is_xacro {
            true => format!("xacro:{}", tag.name()),
            false => written.to_owned(),
        };
        Element {
            name,
            span: self.span(from - 1..from + written.len()),
            attributes: node
                .attributes()
                .map(|attribute| Attribute {
                    name: self
                        .text
                        .get(attribute.range_qname())
                        .unwrap_or(attribute.name())
                        .to_owned(),
                    value: attribute.value().to_owned(),
                    span: self.span(attribute.range()),
                    value_span: self.span(attribute.range_value()),
                })
                .collect(),
            content: node
                .children()
                .filter_map(|child| self.content(&child))
                .collect(),
        }
    }

    fn content(&self, node: &Node<'_, '_>) -> Option<Content> {
        match node.node_type() {
            NodeType::Element => Some(Content::Element(self.element(node))),
            NodeType::Text => {
                let text = node.text().unwrap_or_default().to_owned();
                Some(Content::Text(text, self.span(node.range())))
            }
            NodeType::Root | NodeType::PI | NodeType::Comment => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use morse_diagnostics::Sources;

    fn read(text: &str) -> Result<Element, Box<Diagnostic>> {
        let mut sources = Sources::default();
        let source = sources.add("a.xml", text);
        parse(text, source)
    }

    #[test]
    fn elements_and_values_know_their_places() {
        let text = "\u{FEFF}<a>\n  <b c = 'd&amp;e'>f</b>\n</a>";
        let root = read(text).unwrap();
        let b = root.named("b").next().unwrap();
        assert_eq!(&text[b.span.range()], "<b");
        let c = b.attribute("c").unwrap();
        assert_eq!(&text[c.span.range()], "c = 'd&amp;e'");
        assert_eq!(&text[c.value_span.range()], "d&amp;e");
        assert_eq!((c.value.as_str(), b.text().as_str()), ("d&e", "f"));
    }

    #[test]
    fn the_namespace_of_xacro_has_one_prefix() {
        let text = "<r xmlns:x='http://www.ros.org/wiki/xacro'><x:if/><y/></r>";
        let root = read(text).unwrap();
        let names: Vec<&str> = root.elements().map(|child| child.name.as_str()).collect();
        assert_eq!(names, ["xacro:if", "y"]);
    }

    #[test]
    fn what_costs_too_much_is_refused() {
        let hidden = format!("<a><!-- < ' --><?p ' ?><b c='>'/>{}", "<a>".repeat(100_000));
        assert_eq!(read(&hidden).unwrap_err().code, "xml::too-deep");
        let entities = "<!DOCTYPE a [<!ENTITY b 'bb'>]><a>&b;</a>";
        assert_eq!(read(entities).unwrap_err().code, "xml::doctype");
        let deep = "<a>".repeat(100_000);
        assert_eq!(read(&deep).unwrap_err().code, "xml::too-deep");
        let wide = format!("<a>{}</a>", "<b/><c>>'</c>".repeat(1_000));
        assert_eq!(read(&wide).unwrap().elements().count(), 2_000);
    }
}
