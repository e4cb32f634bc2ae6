"""Lets MORSE's own client run on Python 3.8 to 3.11: put this folder on PYTHONPATH.

When pymorse closes, it asks `dir()` about its components, which they answer with a TypeError: they take their own
class for a component. Until Python 3.7, `dir()` passed over that. Here it does so again.
"""
import builtins

_dir = builtins.dir


def _lenient(*arguments):
    try:
        return _dir(*arguments)
    except TypeError:
        if len(arguments) != 1:
            raise
        names = set(_dir(type(arguments[0])))
        names.update(object.__getattribute__(arguments[0], "__dict__"))
        return sorted(names)


builtins.dir = _lenient
