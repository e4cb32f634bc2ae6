"""MORSE's shapes."""
from morse_sim.builder.primitives import *  # noqa: F401,F403
