//! Ends of groups: brackets that close, and those that do not.

use morse_diagnostics::Span;

use super::Parser;
use crate::lexer::Token;
use crate::problem::{Wording as _, error};

/// Place where a closing bracket seems to be missing.
#[derive(Clone, Copy)]
pub(super) struct Missed {
    /// Bracket that it would close.
    open: Span,
    /// Bracket before which it is missing.
    before: Span,
}

impl Parser<'_, '_> {
    /// Is there another part before the group ends? Eats the end.
    pub(super) fn goes_on(&mut self, closer: char, open: Span) -> bool {
        loop {
            match self.token {
                Token::Close(found) if found == closer => {
                    self.compare_indents(open);
                    self.advance();
                    return false;
                }
                Token::Close(found) => {
                    if self.unbalanced(found, closer, open) {
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

    /// Reports a bracket of the wrong kind, and tells whether it is the end of a group further out.
    fn unbalanced(&mut self, found: char, closer: char, open: Span) -> bool {
        let opened_further_out = self.closers.iter().any(|&(other, _)| other == found);
        let message = if opened_further_out {
            format!("a `{closer}` is missing before this `{found}`")
        } else {
            format!("this `{found}` closes nothing")
        };
        let problem = error("simulation::unbalanced", self.span, message)
            .label(format!("expected `{closer}`"))
            .at(open, format!("`{closer}` would close this"));
        self.report(problem);
        opened_further_out
    }

    /// Remembers a bracket that the current token closes from further left than it was opened.
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
        // After other mistakes this is most likely their consequence.
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
