"""MORSE's builder."""
from morse_sim.builder import *  # noqa: F401,F403
