"""What goes wrong in a builder script, and what is said only once."""
from __future__ import annotations

import difflib
import sys
from typing import Iterable


class MorseError(Exception):
    """The root of all errors, as in MORSE; `value` is the text."""

    def __init__(self, value: object = ""):
        super().__init__(value)
        self.value = value

    def __str__(self) -> str:
        return str(self.value)


class MorseEnvironmentError(MorseError):
    """Something is wrong with this machine, or with a folder of scripts."""


class MorseMiddlewareError(MorseError):
    """A middleware is not set up as it has to be."""


class MorseMultinodeError(MorseError):
    """Several nodes do not go together."""


class MorseServiceError(MorseError):
    """A service cannot be offered."""


class MorseBuilderError(MorseError):
    """A builder script asks for what there is not."""


class MorseBuilderNoComponentError(MorseBuilderError):
    """There is no such component."""


class MorseBuilderBadSyntaxError(MorseBuilderError):
    """A name or a value is not well formed."""


class MorseBuilderUnexportableError(MorseBuilderError):
    """The component has neither streams nor commands."""


class MorseBuilderAttributeError(MorseBuilderError, AttributeError):
    """A component has no such attribute or method."""


def suggestion(word: str, known: Iterable[str]) -> str:
    """`; did you mean ...?`, or nothing."""
    known = list(known)
    near = difflib.get_close_matches(str(word), known, n=1, cutoff=0.6)
    if not near:
        folded = {name.lower(): name for name in known}
        matches = difflib.get_close_matches(str(word).lower(), list(folded), n=1, cutoff=0.6)
        near = [folded[name] for name in matches]
    return f"; did you mean `{near[0]}`?" if near else ""


class Warnings:
    """Says each thing once, on the standard error output."""

    def __init__(self) -> None:
        self.said: list = []

    def __call__(self, text: str) -> None:
        if text not in self.said:
            self.said.append(text)
            print(f"[WARNING][MORSE] {text}", file=sys.stderr, flush=True)


warn = Warnings()
