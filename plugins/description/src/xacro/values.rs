//! Evaluation of texts and names within a scope.

use morse_diagnostics::{nearest, printable};

use super::{
    evaluate::{Names, evaluate},
    expand::Expander,
    expression::parse,
    scope::Property,
    text::{Piece, pieces},
    value::Value,
};

/// Maximum nesting depth of properties that refer to others.
const DEEPEST: usize = 60;

/// Maximum length of a text after all substitutions, characters.
const LONGEST: usize = 1 << 20;

impl Expander<'_> {
    /// Returns the value of a text. A text that is a single expression keeps the type of its value; all others are texts.
    ///
    /// # Errors
    ///
    /// Returns the error, and the remedy on a second line if there is one.
    pub(super) fn value_of(&mut self, text: &str, scope: usize) -> Result<Value, String> {
        self.levels += 1;
        if self.levels > DEEPEST {
            self.levels -= 1;
            return Err("it refers to itself, or the references are nested too deeply".to_owned());
        }
        let value = self.joined(text, scope);
        self.levels -= 1;
        value
    }

    fn joined(&mut self, text: &str, scope: usize) -> Result<Value, String> {
        let mut values = Vec::new();
        for piece in pieces(text)? {
            values.push(match piece {
                Piece::Plain(plain) => Value::Text(plain.to_owned()),
                Piece::Expression(expression) => self.expression(expression, scope)?,
                Piece::Command(command) => self.command(command, scope)?,
            });
        }
        if values.len() == 1 {
            return Ok(values.remove(0));
        }
        let mut whole = String::new();
        for value in values {
            whole += &value.to_string();
            if whole.len() > LONGEST {
                return Err("the text is too long".to_owned());
            }
        }
        Ok(Value::Text(whole))
    }

    fn expression(&mut self, text: &str, scope: usize) -> Result<Value, String> {
        let expression = parse(text).map_err(|why| format!("`{}`: {why}", printable(text)))?;
        let mut names = Seen {
            expander: self,
            scope,
        };
        evaluate(&expression, &mut names)
    }

    /// Returns the value of a command, such as `$(find NAME)` or `$(arg NAME)`.
    fn command(&mut self, text: &str, scope: usize) -> Result<Value, String> {
        let text = self.value_of(text, scope)?.to_string();
        let text = text.trim();
        let (command, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let rest = rest.trim();
        let (name, other) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        match command {
            "find" => self.package(rest).map(Value::Text),
            "arg" => self.argument(rest),
            "env" => match self.options.environment.get(rest) {
                Some(value) => Ok(Value::Text(value.clone())),
                None => Err(format!("the environment has no `{}`", printable(rest))),
            },
            "optenv" => {
                let value = self.options.environment.get(name);
                Ok(Value::Text(
                    value.map_or(other.trim(), String::as_str).to_owned(),
                ))
            }
            "dirname" => Ok(Value::Text(self.directory().display().to_string())),
            "cwd" => Ok(Value::Text(".".to_owned())),
            "eval" => self.expression(rest, scope),
            "anon" => Ok(Value::Text(name.to_owned())),
            other => Err(format!(
                "there is no command `{}`\nknown are find, arg, env, optenv, dirname, eval",
                printable(other)
            )),
        }
    }

    /// Returns the value of an argument, which is a text.
    fn argument(&self, name: &str) -> Result<Value, String> {
        self.options.known.add(name);
        match self.arguments.get(name) {
            Some(value) => Ok(Value::Text(value.clone())),
            None => {
                let near = nearest(name, self.arguments.keys().map(String::as_str));
                let name = printable(name);
                Err(match near {
                    Some(near) => format!("there is no argument `{name}`\ndid you mean `{near}`?"),
                    None => format!(
                        "there is no argument `{name}`\ndefine it by `<xacro:arg name=\"{name}\" default=\"…\"/>`, or give it as `--xacro {name}:=VALUE`"
                    ),
                })
            }
        }
    }

    fn package(&mut self, name: &str) -> Result<String, String> {
        let shown = printable(name);
        match self.finder.package(name) {
            Some((directory, is_trusted)) => {
                self.trusted.extend(is_trusted.then(|| directory.clone()));
                Ok(directory.display().to_string())
            }
            None => Err(format!(
                "there is no package `{shown}`\ntell where it is by `--package {shown}=DIRECTORY`, or set `ROS_PACKAGE_PATH`"
            )),
        }
    }

    /// Returns the value of a property that is visible in a scope.
    pub(super) fn property(&mut self, scope: usize, name: &str) -> Result<Value, String> {
        let definition = self
            .scopes
            .find(scope, |scope| scope.properties.get(name).cloned());
        match definition {
            Some((_, Property::Value(value))) => Ok(value),
            Some((_, Property::Busy)) => Err(format!(
                "the property `{}` refers to itself",
                printable(name)
            )),
            Some((home, Property::Text(text))) => {
                let set = |expander: &mut Self, property| {
                    let properties = &mut expander.scopes.get(home).properties;
                    properties.insert(name.to_owned(), property);
                };
                set(self, Property::Busy);
                let value = self.value_of(&text, home).map(Value::literal);
                // After an error the text is kept: the names to which it refers may be defined at the next use.
                let kept = value.clone().map_or(Property::Text(text), Property::Value);
                set(self, kept);
                value
            }
            None => {
                let known = self.scopes.names(scope, |scope| &scope.properties);
                let near = nearest(name, known.iter().map(String::as_str));
                let name = printable(name);
                Err(match near {
                    Some(near) => format!("there is no property `{name}`\ndid you mean `{near}`?"),
                    None => format!(
                        "there is no property `{name}`\ndefine it: `<xacro:property name=\"{name}\" value=\"…\"/>`"
                    ),
                })
            }
        }
    }
}

/// Names that are visible in a scope.
struct Seen<'e, 'a> {
    expander: &'e mut Expander<'a>,
    scope: usize,
}

impl Names for Seen<'_, '_> {
    fn value(&mut self, name: &str) -> Result<Value, String> {
        self.expander.property(self.scope, name)
    }

    fn within(&mut self, space: &str, name: &str) -> Option<Result<Value, String>> {
        let scopes = &self.expander.scopes;
        let (_, space) = scopes.find(self.scope, |scope| scope.spaces.get(space).copied())?;
        Some(self.expander.property(space, name))
    }

    fn call(&mut self, function: &str, arguments: &[Value]) -> Option<Result<Value, String>> {
        match (function, arguments) {
            ("arg", [name]) => Some(self.expander.argument(&name.to_string())),
            ("load_yaml", [file]) => Some(self.expander.yaml(&file.to_string())),
            _ => None,
        }
    }
}
