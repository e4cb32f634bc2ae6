"""MORSE's client by its own name, for who has no MORSE: it is `morse_sim.client`, on any Python from 3.9 on."""
import os
import sys

try:
    import morse_sim  # noqa: F401
except ImportError:
    sys.path.append(os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))))

from morse_sim.client import *  # noqa: E402,F401,F403
