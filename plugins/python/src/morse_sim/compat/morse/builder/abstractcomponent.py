"""The root of all components."""
from morse_sim.builder.component import AbstractComponent, timer  # noqa: F401
