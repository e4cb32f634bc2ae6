"""What is required is not left out."""
from __future__ import annotations

import unittest

from .require import forbid, needs, words


class Require(unittest.TestCase):
    def test_what_is_required_fails(self) -> None:
        with self.assertRaisesRegex(AssertionError, "browser is required: there is none"):
            forbid("browser", "there is none", words("screen, browser"))

    def test_the_rest_may_be_left_out(self) -> None:
        forbid("browser", "there is none", words(""))
        forbid("browser", "there is none", words("screen,python,"))

    def test_unknown_words_are_an_error(self) -> None:
        with self.assertRaisesRegex(ValueError, "knows no brauser"):
            words("screen,brauser")
        with self.assertRaisesRegex(ValueError, "brauser cannot be required"):
            forbid("brauser", "there is none")

    def test_what_is_there_runs(self) -> None:
        self.assertIs(needs("python", True, "there is none")(Require), Require)
