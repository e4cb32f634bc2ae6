"""What scripts use of MORSE's wrapper of Blender."""
from morse_sim.builder.blender import bpymorse as _module


def __getattr__(name):
    return getattr(_module, name)
