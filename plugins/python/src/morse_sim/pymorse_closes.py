"""Lets MORSE's own client close on Python 3.8 and later, once it is imported. An installed morse-sim sees to that by itself.

When pymorse closes, it asks `dir()` about its components, which take their own class for a component and answer with a
TypeError. Until Python 3.7, `dir()` passed over that.
"""
import importlib.machinery
import sys


def _names(component):
    return sorted({*dir(type(component)), *object.__getattribute__(component, "__dict__")})


# `importlib.abc` has their base classes, and would take its time in every program.
class _Loader:
    def __init__(self, loader):
        self._loader = loader

    def __getattr__(self, name):
        return getattr(self._loader, name)

    def create_module(self, spec):
        return self._loader.create_module(spec)

    def exec_module(self, module):
        self._loader.exec_module(module)
        component = getattr(module, "Component", None)
        if isinstance(component, type) and "__dir__" not in vars(component):
            component.__dir__ = _names


class _Finder:
    def find_spec(self, name, path=None, target=None):
        if name != "pymorse.pymorse":
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader)
        return spec


sys.meta_path.insert(0, _Finder())
