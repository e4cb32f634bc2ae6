//! Parser of XML to a tree in which every element and attribute has its source span.
//!
//! It refuses documents whose processing could take excessive time or memory: document types (and with them entities that
//! expand exponentially), deep nesting, and very large files.

mod problem;
mod repair;

use std::ops::Range;

use morse_diagnostics::{Diagnostic, SourceId, Span};
use roxmltree::{Document, Node, NodeType, ParsingOptions};

/// Maximum nesting depth of elements.
const DEEPEST: usize = 200;

/// Maximum number of elements, texts and comments of a file.
const MOST_NODES: u32 = 2_000_000;

/// URIs of xacro's namespace, which may have any prefix.
const XACRO: &[&str] = &[
    "http://www.ros.org/wiki/xacro",
    "http://ros.org/wiki/xacro",
    "http://wiki.ros.org/xacro",
    "http://playerstage.sourceforge.net/gazebo/xmlschema/#interface",
];

/// An element with its attributes and content.
#[derive(Clone, Debug, PartialEq)]
pub struct Element {
    /// Name with its prefix as written, except that the prefix of xacro's namespace is always `xacro`.
    pub name: String,
    /// Span of `<` and the name.
    pub span: Span,
    /// Attributes in the order of the file, without declarations of namespaces.
    pub attributes: Vec<Attribute>,
    /// Child elements and texts.
    pub content: Vec<Content>,
}

/// A child element or a text in an element.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// An element.
    Element(Element),
    /// Text between elements.
    Text(String, Span),
}

/// An attribute with its spans.
#[derive(Clone, Debug, PartialEq)]
pub struct Attribute {
    /// Name with the prefix.
    pub name: String,
    /// Value, with references replaced.
    pub value: String,
    /// Span of the whole attribute.
    pub span: Span,
    /// Span of the value, without quotes.
    pub value_span: Span,
}

impl Element {
    /// Returns the attribute with this name.
    #[must_use]
    pub fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.attributes
            .iter()
            .find(|attribute| attribute.name == name)
    }

    /// Returns the child elements.
    pub fn elements(&self) -> impl Iterator<Item = &Self> {
        self.content.iter().filter_map(|content| match content {
            Content::Element(element) => Some(element),
            Content::Text(..) => None,
        })
    }

    /// Returns the child elements with this name.
    pub fn named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Self> {
        self.elements().filter(move |element| element.name == name)
    }

    /// Returns the text directly inside the element, joined and without surrounding blanks.
    #[must_use]
    pub fn text(&self) -> String {
        let texts = self.content.iter().filter_map(|content| match content {
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
/// Returns the first violation of XML's syntax, with its span.
pub fn parse(text: &str, source: SourceId) -> Result<Element, Box<Diagnostic>> {
    let start = if text.starts_with('\u{FEFF}') { 3 } else { 0 };
    document(text, start..text.len(), source)
}

/// Parses the part of a text that is a document.
fn document(text: &str, range: Range<usize>, source: SourceId) -> Result<Element, Box<Diagnostic>> {
    let start = range.start;
    // The parser is recursive, so that the nesting depth is checked first.
    if let Some(at) = too_deep(text) {
        return Err(Box::new(problem::too_deep(source, at, DEEPEST)));
    }
    let options = ParsingOptions {
        allow_dtd: false,
        nodes_limit: MOST_NODES,
        ..ParsingOptions::default()
    };
    let body = text.get(range).unwrap_or_default();
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

/// Parses a document that other programs read although it is not XML: text before the declaration and after the last
/// element is left out with a warning.
///
/// # Errors
///
/// Returns the first violation of XML's syntax, with its span.
pub fn parse_repaired(
    text: &str,
    source: SourceId,
) -> Result<(Element, Vec<Diagnostic>), Box<Diagnostic>> {
    let (range, warnings) = repair::repaired(text, source);
    Ok((document(text, range, source)?, warnings))
}

/// Returns the offset at which elements are nested too deeply.
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

/// Returns the length in bytes of the tag at the start of a text; values in quotes may contain `>`.
fn tag_length(text: &str) -> usize {
    let mut quote = None;
    for (offset, byte) in text.bytes().enumerate() {
        match (quote, byte) {
            (Some(open), byte) if byte == open => quote = None,
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'>') => return offset + 1,
            _ => {}
        }
    }
    text.len()
}

struct Reader<'t> {
    text: &'t str,
    source: SourceId,
    /// Offset of the text in the file, bytes.
    start: usize,
}

impl Reader<'_> {
    fn span(&self, range: Range<usize>) -> Span {
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
    fn elements_and_values_have_their_spans() {
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
