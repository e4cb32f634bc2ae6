//! Ends of groups: matching, missing and wrong closing brackets.

use morse_diagnostics::Span;

use super::Parser;
use crate::lexer::Token;
use crate::problem::{Wording as _, error};

/// Position where a closing bracket is probably missing.
#[derive(Clone, Copy)]
pub(super) struct Missed {
    /// Span of the opening bracket.
    open: Span,
    /// Span of the bracket before which the closing bracket is missing.
    before: Span,
}

impl Parser<'_, '_> {
    /// Returns true if another item follows before the end of the group. Consumes the end.
    pub(super) fn goes_on(&mut self, closer: char, open: Span) -> bool {
        loop {
            match self.token {
                Token::Close(actual) if actual == closer => {
                    self.compare_indents(open);
                    self.advance();
                    return false;
                }
                Token::Close(actual) => {
                    if self.unbalanced(actual, closer, open) {
                        return false;
                    }
                    self.advance();
                }
                Token::End => {
                    self.never_closed(closer, open);
                    return false;
                }
                Token::Unclosed(_) => {
                    self.stray("");
                    return false;
                }
                _ => return true,
            }
        }
    }

    /// Reports a closing bracket of the wrong type. Returns true if it ends an outer group.
    fn unbalanced(&mut self, actual: char, closer: char, open: Span) -> bool {
        let opened_further_out = self.closers.iter().any(|&(other, _)| other == actual);
        let message = if opened_further_out {
            format!("a `{closer}` is missing before this `{actual}`")
        } else {
            format!("unmatched `{actual}`")
        };
        let problem = error("simulation::unbalanced", self.span, message)
            .label(format!("expected `{closer}`"))
            .at(open, format!("`{closer}` would close this"));
        self.report(problem);
        opened_further_out
    }

    /// Records a bracket whose closing bracket, the current token, is indented less than the opening one.
    fn compare_indents(&mut self, open: Span) {
        if self.missed.is_none()
            && let Some(closed) = self.lexer.indent(self.span.start as usize)
            && let Some(opened) = self.lexer.indent_of_line(open.start as usize)
            && closed < opened
        {
            self.missed = Some(Missed {
                open,
                before: self.span,
            });
        }
    }

    fn never_closed(&mut self, closer: char, open: Span) {
        // After other errors this is probably a consequence of them.
        if !self.sound {
            return;
        }
        let opener = |span| self.lexer.slice(span).chars().next();
        let missed = self
            .missed
            .filter(|missed| opener(missed.open) == opener(open));
        let problem = match missed {
            Some(Missed { open, before }) => {
                let message = format!("a `{closer}` is missing");
                error("simulation::unclosed", open, message)
                    .label("this is never closed")
                    .at(before, format!("a `{closer}` is missing before this"))
            }
            None => {
                let message = format!("the text ends before a `{closer}`");
                error("simulation::unclosed", open, message)
                    .label("this is never closed")
                    .at(self.after_last(), format!("expected `{closer}`"))
            }
        };
        self.report(problem.help(format!("add the missing `{closer}`")));
    }
}
