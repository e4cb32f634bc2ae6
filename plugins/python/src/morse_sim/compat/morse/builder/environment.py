"""MORSE's environments."""
from morse_sim.builder.environment import Environment  # noqa: F401
