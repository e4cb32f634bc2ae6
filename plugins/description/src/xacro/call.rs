//! Expansion of macro calls.

use std::rc::Rc;

use morse_diagnostics::{Diagnostic, nearest, printable};

use super::{
    codes,
    expand::Expander,
    parameters::{Kind, Parameter},
    scope::{Block, Macro, Property, Scope},
    value::Value,
};
use crate::xml::{Content, Element};

impl Expander<'_> {
    /// Expands a call of a macro.
    pub(super) fn call(&mut self, name: &str, element: &Element, scope: usize) -> Vec<Content> {
        let Some((home, called)) = self.macro_of(name, scope) else {
            let known = self.scopes.names(scope, |scope| &scope.macros);
            let message = format!("there is no macro `{}`", printable(name));
            let near = nearest(name, known.iter().map(String::as_str));
            let help = match near {
                Some(near) => format!("did you mean `<xacro:{}>`?", printable(near)),
                None => "define it before its first use, or include the file that does".to_owned(),
            };
            self.say(codes::UNKNOWN_MACRO, element.span, message, &help);
            return Vec::new();
        };
        let Some(inner) = self.scopes.add(home) else {
            self.stop(element.span, "macros are called too often".to_owned());
            return Vec::new();
        };
        let is_sound = self.give(&called, element, scope, inner);
        match is_sound {
            true => self.all(&called.body, inner),
            false => Vec::new(),
        }
    }

    /// Returns a macro, and the scope in which its body is evaluated together with its parameters.
    fn macro_of(&self, name: &str, scope: usize) -> Option<(usize, Rc<Macro>)> {
        let pick = |name: &str| {
            let name = name.to_owned();
            move |scope: &Scope| scope.macros.get(&name).cloned()
        };
        if let Some((_, definition)) = self.scopes.find(scope, pick(name)) {
            return Some((scope, definition));
        }
        let (space, name) = name.rsplit_once('.')?;
        let mut home = scope;
        for segment in space.split('.') {
            let (_, inner) = self
                .scopes
                .find(home, |scope| scope.spaces.get(segment).copied())?;
            home = inner;
        }
        let (_, definition) = self.scopes.find(home, pick(name))?;
        Some((home, definition))
    }

    /// Binds the parameters of a macro call.
    fn give(&mut self, called: &Macro, element: &Element, outer: usize, inner: usize) -> bool {
        let mut is_sound = self.knows_all(called, element);
        // Arguments are evaluated in the scope of the call.
        let given = self.all(&element.content, outer);
        let mut given = given
            .into_iter()
            .filter(|content| matches!(content, Content::Element(_)));
        for parameter in &called.parameters {
            let name = parameter.name.clone();
            if matches!(parameter.kind, Kind::Block | Kind::Content) {
                let content = match (given.next(), &parameter.kind) {
                    (Some(Content::Element(block)), Kind::Content) => block.content,
                    (Some(block), _) => vec![block],
                    (None, _) => {
                        is_sound = self.missing(called, element, &format!("the block `{name}`"));
                        continue;
                    }
                };
                let block = Block {
                    content,
                    is_done: true,
                };
                self.scopes.get(inner).blocks.insert(name, Rc::new(block));
                continue;
            }
            match self.parameter(called, parameter, element, outer) {
                Some(value) => {
                    let property = Property::Value(value.literal());
                    self.scopes.get(inner).properties.insert(name, property);
                }
                None => is_sound = false,
            }
        }
        if let Some(Content::Element(block)) = given.next() {
            let message = format!("the macro has no block for `<{}>`", printable(&block.name));
            let diagnostic = Diagnostic::error(codes::BLOCK, message)
                .at(block.span, "exceeds the limit")
                .at(called.span, "defined here");
            let help = "remove it, or add a block to `params`: `*name`";
            self.problems.push(diagnostic.help(help));
            is_sound = false;
        }
        is_sound
    }

    /// Returns true if the macro declares all given parameters; reports the others.
    fn knows_all(&mut self, called: &Macro, element: &Element) -> bool {
        let mut is_sound = true;
        for attribute in &element.attributes {
            let is_own = element.name == "xacro:call" && attribute.name == "macro";
            let mut known = called.parameters.iter().map(|one| one.name.as_str());
            if is_own || known.any(|name| name == attribute.name) {
                continue;
            }
            let known = called.parameters.iter().map(|one| one.name.as_str());
            let message = format!(
                "the macro has no parameter `{}`",
                printable(&attribute.name)
            );
            let diagnostic = Diagnostic::error(codes::PARAMETER, message)
                .at(attribute.span, "unknown")
                .at(called.span, "defined here")
                .suggest(&attribute.name, known);
            self.problems.push(match diagnostic.help.is_empty() {
                true => diagnostic.help("remove it, or add it to `params`"),
                false => diagnostic,
            });
            is_sound = false;
        }
        is_sound
    }

    /// Returns the value of a parameter; reports an error if it has none.
    fn parameter(
        &mut self,
        called: &Macro,
        parameter: &Parameter,
        element: &Element,
        outer: usize,
    ) -> Option<Value> {
        let name = &parameter.name;
        if let Some(attribute) = element.attribute(name) {
            return self.value(attribute, outer);
        }
        let outside = match &parameter.kind {
            Kind::Outer(_) => self.property(outer, name).ok(),
            _ => None,
        };
        match (outside, &parameter.kind) {
            (Some(value), _) => Some(value),
            (None, Kind::Default(text) | Kind::Outer(Some(text))) => {
                self.default(called, text, outer)
            }
            _ => {
                self.missing(called, element, &format!("the parameter `{name}`"));
                None
            }
        }
    }

    /// Returns the value of a default, which is evaluated in the scope of the call.
    fn default(&mut self, called: &Macro, text: &str, outer: usize) -> Option<Value> {
        match self.value_of(text, outer) {
            Ok(value) => Some(value),
            Err(why) => {
                self.wrong(called.span, &why);
                None
            }
        }
    }

    fn missing(&mut self, called: &Macro, element: &Element, what: &str) -> bool {
        let message = format!("`<{}>` lacks {what}", printable(&element.name));
        let diagnostic = Diagnostic::error(codes::PARAMETER, message)
            .at(element.span, "called here")
            .at(called.span, "defined here");
        let help = "give it, or a default in `params`: `name:=0`";
        self.problems.push(diagnostic.help(help));
        false
    }
}
