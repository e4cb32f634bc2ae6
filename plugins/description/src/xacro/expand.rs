//! Expansion of the macros in a tree of elements.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    rc::Rc,
};

use morse_diagnostics::{Diagnostic, Sources, Span, nearest, printable};

use super::{
    Options, codes,
    parameters::parameters,
    scope::{Block, Macro, Property, Scope, Scopes},
    value::Value,
};
use crate::{
    packages::{Finder, Roots},
    problems::Problems,
    xml::{Attribute, Content, Element},
};

/// Maximum number of elements of the result.
const MOST_ELEMENTS: usize = 300_000;

/// Maximum nesting depth of elements, macros and files.
const DEEPEST: usize = 120;

/// State of the expansion.
pub(super) struct Expander<'a> {
    pub(super) options: &'a Options,
    pub(super) finder: Finder<'a>,
    pub(super) roots: Roots,
    /// Directories of the packages that were resolved so far.
    pub(super) trusted: Vec<PathBuf>,
    pub(super) sources: &'a mut Sources,
    pub(super) problems: &'a mut Problems,
    pub(super) scopes: Scopes,
    pub(super) arguments: BTreeMap<String, String>,
    /// Files that are being read; each one includes the next.
    pub(super) files: Vec<PathBuf>,
    /// Total size of all files so far, bytes.
    pub(super) read: u64,
    /// Nesting depth of texts.
    pub(super) levels: usize,
    depth: usize,
    made: usize,
    is_stopped: bool,
}

impl<'a> Expander<'a> {
    pub(super) fn new(
        options: &'a Options,
        (finder, roots): (Finder<'a>, Roots),
        sources: &'a mut Sources,
        problems: &'a mut Problems,
    ) -> Self {
        Self {
            options,
            finder,
            roots,
            trusted: Vec::new(),
            sources,
            problems,
            scopes: Scopes(vec![Scope::default()]),
            arguments: options.arguments.iter().cloned().collect(),
            files: Vec::new(),
            read: 0,
            levels: 0,
            depth: 0,
            made: 0,
            is_stopped: false,
        }
    }

    /// Returns the directory of the file that is being read.
    pub(super) fn directory(&self) -> &Path {
        let file = self.files.last();
        file.and_then(|file| file.parent()).unwrap_or(Path::new(""))
    }

    pub(super) fn say(&mut self, code: &'static str, span: Span, message: String, help: &str) {
        let diagnostic = Diagnostic::error(code, message).at(span, "");
        self.problems.push(diagnostic.help(help));
    }

    /// Returns the root element with all macros expanded.
    pub(super) fn root(&mut self, root: &Element) -> Element {
        self.element(root, 0)
    }

    /// Returns an ordinary element with its attributes and content expanded.
    fn element(&mut self, element: &Element, scope: usize) -> Element {
        let mut attributes: Vec<Attribute> = Vec::new();
        for attribute in &element.attributes {
            if let Some(value) = self.value(attribute, scope) {
                attributes.push(Attribute {
                    value: value.to_string(),
                    ..attribute.clone()
                });
            }
        }
        let mut content = Vec::new();
        for child in self.all(&element.content, scope) {
            match child {
                Content::Element(set) if set.name == "xacro:attribute" => {
                    let [name, value] = ["name", "value"].map(|name| set.attribute(name));
                    if let Some((name, value)) = name.zip(value) {
                        attributes.retain(|known| known.name != name.value);
                        attributes.push(Attribute {
                            name: name.value.clone(),
                            ..value.clone()
                        });
                    }
                }
                child => content.push(child),
            }
        }
        Element {
            name: element.name.clone(),
            span: element.span,
            attributes,
            content,
        }
    }

    /// Expands a list of content.
    pub(super) fn all(&mut self, contents: &[Content], scope: usize) -> Vec<Content> {
        let mut made = Vec::new();
        for content in contents {
            match content {
                Content::Element(element) => made.extend(self.expand_element(element, scope)),
                Content::Text(text, span) => match self.value_of(text, scope) {
                    Ok(value) => made.push(Content::Text(value.to_string(), *span)),
                    Err(why) => self.wrong(*span, &why),
                },
            }
        }
        made
    }

    /// Reports the violation of a limit once, and stops the expansion.
    pub(super) fn stop(&mut self, span: Span, message: String) {
        if !self.is_stopped {
            let help = "check for a macro that calls itself without end; a condition ends the recursion: `<xacro:if \
                        value=\"${…}\">`";
            self.say(codes::TOO_LARGE, span, message, help);
        }
        self.is_stopped = true;
    }

    /// Expands an element.
    fn expand_element(&mut self, element: &Element, scope: usize) -> Vec<Content> {
        self.made += 1;
        if self.depth > DEEPEST {
            self.stop(
                element.span,
                format!("macros are nested more than {DEEPEST} deep"),
            );
        } else if self.made > MOST_ELEMENTS {
            self.stop(
                element.span,
                format!("the macros create more than {MOST_ELEMENTS} elements"),
            );
        }
        if self.is_stopped {
            return Vec::new();
        }
        self.depth += 1;
        let made = self.made_of(element, scope);
        self.depth -= 1;
        made
    }

    fn made_of(&mut self, element: &Element, scope: usize) -> Vec<Content> {
        let Some(word) = element.name.strip_prefix("xacro:") else {
            return vec![Content::Element(self.element(element, scope))];
        };
        match word {
            "property" => self.define_property(element, scope),
            "macro" => self.define_macro(element, scope),
            "arg" => self.define_argument(element, scope),
            "include" => return self.include(element, scope),
            "insert_block" => return self.insert(element, scope),
            "if" | "unless" => return self.condition(element, word == "if", scope),
            "attribute" => return vec![Content::Element(self.element(element, scope))],
            "element" => {
                let mut made = self.element(element, scope);
                let name = made.attribute("xacro:name").map(|name| name.value.clone());
                made.attributes.retain(|one| one.name != "xacro:name");
                made.name = name.unwrap_or_default();
                return vec![Content::Element(made)];
            }
            "call" => {
                if let Some(name) = self.needed(element, "macro", scope) {
                    return self.call(&name, element, scope);
                }
            }
            name => return self.call(name, element, scope),
        }
        Vec::new()
    }

    /// Returns the value of an attribute; reports errors in it.
    pub(super) fn value(&mut self, attribute: &Attribute, scope: usize) -> Option<Value> {
        match self.value_of(&attribute.value, scope) {
            Ok(value) => Some(value),
            Err(why) => {
                self.wrong(attribute.value_span, &why);
                None
            }
        }
    }

    pub(super) fn wrong(&mut self, span: Span, why: &str) {
        let help = "check the names and the brackets; `$${` stands for `${` itself";
        let (why, help) = why.split_once('\n').unwrap_or((why, help));
        self.say(codes::EXPRESSION, span, why.to_owned(), help);
    }

    /// Returns the text of a required attribute.
    pub(super) fn needed(&mut self, element: &Element, name: &str, scope: usize) -> Option<String> {
        match element.attribute(name) {
            Some(attribute) => Some(self.value(attribute, scope)?.to_string()),
            None => {
                let message = format!("`<{}>` has no `{name}`", printable(&element.name));
                let help = format!("add `{name}=\"…\"`");
                self.say(codes::MISSING, element.span, message, &help);
                None
            }
        }
    }

    fn define_property(&mut self, element: &Element, scope: usize) {
        let Some(name) = self.needed(element, "name", scope) else {
            return;
        };
        let home = match element.attribute("scope").map(|home| home.value.as_str()) {
            Some("global") => 0,
            Some("parent") => self.scopes.get(scope).parent.unwrap_or(0),
            _ => scope,
        };
        let text = |name: &str| element.attribute(name).map(|one| one.value.clone());
        if text("remove").is_some_and(|remove| remove == "true") {
            self.scopes.get(home).properties.remove(&name);
            return;
        }
        let is_known = |scope: &Scope| scope.properties.contains_key(&name).then_some(());
        let is_known = self.scopes.find(home, is_known).is_some();
        match (text("value"), text("default")) {
            (Some(value), _) => {
                // A property that is exported to another scope is evaluated immediately.
                let property = match home == scope {
                    true => Property::Text(value),
                    false => match element
                        .attribute("value")
                        .map(|value| self.value(value, scope))
                    {
                        Some(Some(value)) => Property::Value(value.literal()),
                        _ => return,
                    },
                };
                self.scopes.get(home).properties.insert(name, property);
            }
            (None, Some(value)) if !is_known => {
                let properties = &mut self.scopes.get(home).properties;
                properties.insert(name, Property::Text(value));
            }
            (None, Some(_)) => {}
            (None, None) => {
                let block = Block {
                    content: element.content.clone(),
                    is_done: false,
                };
                self.scopes.get(home).blocks.insert(name, Rc::new(block));
            }
        }
    }

    fn define_argument(&mut self, element: &Element, scope: usize) {
        let Some(name) = self.needed(element, "name", scope) else {
            return;
        };
        self.options.known.add(&name);
        if let Some(default) = element.attribute("default")
            && !self.arguments.contains_key(&name)
            && let Some(value) = self.value(default, scope)
        {
            self.arguments.insert(name, value.to_string());
        }
    }

    fn define_macro(&mut self, element: &Element, scope: usize) {
        let Some(name) = element.attribute("name") else {
            self.needed(element, "name", scope);
            return;
        };
        let name = name.value.trim();
        let name = name.strip_prefix("xacro:").unwrap_or(name).to_owned();
        let list = element.attribute("params");
        let made = Macro {
            parameters: list.map_or_else(Vec::new, |list| parameters(&list.value)),
            body: element.content.clone(),
            span: element.span,
        };
        self.scopes.get(scope).macros.insert(name, Rc::new(made));
    }

    fn insert(&mut self, element: &Element, scope: usize) -> Vec<Content> {
        let Some(name) = self.needed(element, "name", scope) else {
            return Vec::new();
        };
        let definition = self
            .scopes
            .find(scope, |scope| scope.blocks.get(&name).cloned());
        match definition {
            Some((_, block)) if block.is_done => block.content.clone(),
            Some((_, block)) => self.all(&block.content, scope),
            None => {
                let known = self.scopes.names(scope, |scope| &scope.blocks);
                let message = format!("there is no block `{}`", printable(&name));
                let near = nearest(&name, known.iter().map(String::as_str));
                let help = match near {
                    Some(near) => format!("did you mean `{}`?", printable(near)),
                    None => "a macro takes a block by `params=\"*name\"`".to_owned(),
                };
                self.say(codes::BLOCK, element.span, message, &help);
                Vec::new()
            }
        }
    }

    fn condition(&mut self, element: &Element, wanted: bool, scope: usize) -> Vec<Content> {
        let Some(attribute) = element.attribute("value") else {
            self.needed(element, "value", scope);
            return Vec::new();
        };
        let Some(value) = self.value(attribute, scope) else {
            return Vec::new();
        };
        let holds = match value.literal() {
            Value::Text(text) => {
                let message = format!("`{}` is neither true nor false", printable(&text));
                let help = "a condition is `true`, `false`, a number, or `${…}`";
                self.say(codes::CONDITION, attribute.value_span, message, help);
                return Vec::new();
            }
            value => value.truth(),
        };
        match holds == wanted {
            true => self.all(&element.content, scope),
            false => Vec::new(),
        }
    }
}
