"""The roots of sensors and actuators."""
from morse_sim.builder.creator import *  # noqa: F401,F403
