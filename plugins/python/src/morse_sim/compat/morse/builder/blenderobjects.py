"""MORSE's shapes."""
import math  # noqa: F401

from morse_sim.builder.primitives import *  # noqa: F401,F403
