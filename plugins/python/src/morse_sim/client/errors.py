"""What a client can be told."""
from __future__ import annotations


class MorseServerError(Exception):
    """The simulator cannot be reached, or went away."""


class MorseServiceError(Exception):
    """A reply that nobody understands."""


class MorseServiceFailed(Exception):
    """The service says no; the text says why."""


class MorseServicePreempted(Exception):
    """Another request, or a cancellation, ended this one."""
