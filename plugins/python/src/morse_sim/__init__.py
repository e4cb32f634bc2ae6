"""morse-sim from Python: MORSE's builder scripts (`builder`), its launcher, and a client (`client`)."""

__version__ = "0.1.0"
