"""MORSE's builder. Scripts also count on the modules that came along with MORSE's own names."""
import logging  # noqa: F401
import math  # noqa: F401
import os  # noqa: F401
import pprint  # noqa: F401
import sys  # noqa: F401

from morse_sim.builder import *  # noqa: F401,F403

logger = logging.getLogger("morsebuilder")
