"""MORSE's robots."""
from morse_sim.builder.robots import *  # noqa: F401,F403
