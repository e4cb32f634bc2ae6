"""Robots' roots, passive objects, zones."""
from morse_sim.builder.component import AbstractComponent  # noqa: F401
from morse_sim.builder.primitives import PassiveObject, Zone  # noqa: F401
from morse_sim.builder.robots import GroundRobot, Robot, WheeledRobot  # noqa: F401
