"""MORSE's errors."""
from morse_sim.builder.errors import *  # noqa: F401,F403
