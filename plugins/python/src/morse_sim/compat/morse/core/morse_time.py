"""MORSE's time strategies."""
from morse_sim.builder.environment import TimeStrategies  # noqa: F401
