"""What is left out where something is missing, and what must not be: what `MORSE_REQUIRE=browser,python` names fails."""
from __future__ import annotations

import os
import unittest
from typing import Any, Callable, FrozenSet

# As tests/suite/require.rs says.
WORDS = frozenset(("screen", "browser", "python", "pymorse", "ffmpeg", "editors", "ray", "ros2", "kilted"))


def words(text: str) -> FrozenSet[str]:
    """The words of a list. One that nobody knows would require nothing, so it is an error."""
    words = frozenset(word.strip() for word in text.split(",") if word.strip())
    if not words <= WORDS:
        raise ValueError(f"MORSE_REQUIRE knows no {', '.join(sorted(words - WORDS))}")
    return words


REQUIRED = words(os.environ.get("MORSE_REQUIRE", ""))


def forbid(what: str, why: str, required: FrozenSet[str] = REQUIRED) -> None:
    """Fails where something must not be left out."""
    if what not in WORDS:
        raise ValueError(f"{what} cannot be required")
    if what in required:
        raise AssertionError(f"{what} is required: {why}")


def left_out(what: str, why: str) -> None:
    """Skips the test that runs, or fails."""
    forbid(what, why)
    raise unittest.SkipTest(why)


def needs(what: str, there: Any, why: str) -> Callable[[Any], Any]:
    """For tests that lack something if it is not there; where that is required, their whole file fails."""
    if not there:
        forbid(what, why)
    return unittest.skipUnless(there, why)
