"""MORSE's package, as builder scripts import it. Whatever is not here comes from an installed MORSE."""
from pkgutil import extend_path

__path__ = extend_path(__path__, __name__)
