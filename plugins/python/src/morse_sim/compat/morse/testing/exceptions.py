"""What goes wrong around a test."""


class MorseTestingError(Exception):
    """The simulation did not start, or did not end."""

    def __init__(self, value):
        super().__init__(value)
        self.value = value
