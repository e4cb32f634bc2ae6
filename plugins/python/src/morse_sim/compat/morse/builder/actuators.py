"""MORSE's actuators, and the shapes that come with them."""
import math  # noqa: F401

from morse_sim.builder.actuators import *  # noqa: F401,F403
from morse_sim.builder.primitives import *  # noqa: F401,F403
