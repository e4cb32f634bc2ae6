"""MORSE's core, as far as builder scripts import it."""
from pkgutil import extend_path

__path__ = extend_path(__path__, __name__)
