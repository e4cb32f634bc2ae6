"""Lets MORSE's own client close on Python 3.8 to 3.11, where morse-sim is not installed: put this folder on PYTHONPATH."""
import os
import runpy

_PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
runpy.run_path(os.path.join(_PACKAGE, "pymorse_closes.py"))
