"""MORSE's package, as builder scripts and test programs import it. Whatever is not here comes from an installed MORSE."""
import os
import sys
from pkgutil import extend_path

try:
    import morse_sim  # noqa: F401
except ImportError:
    sys.path.append(os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))))

__path__ = extend_path(__path__, __name__)
