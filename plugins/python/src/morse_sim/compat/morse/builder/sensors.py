"""MORSE's sensors, and the shapes that come with them."""
import math  # noqa: F401

from morse_sim.builder.primitives import *  # noqa: F401,F403
from morse_sim.builder.sensors import *  # noqa: F401,F403
