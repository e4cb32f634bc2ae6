"""Writes the notation of simulation files: few lines, in the order in which things were said."""
from __future__ import annotations

import math
from typing import Any, Dict, List, Tuple

WIDTH = 100
"""A value that fits into so many columns stays on one line."""


class Word(str):
    """One of a few words, written without quotes."""


class Fields(Dict[str, Any]):
    """`( )`: fields with bare names."""


class Entries(Dict[str, Any]):
    """`{ }`: entries with names in quotes."""


def number(value: float) -> str:
    """The shortest text that is read as this number; no exponent for what people write without one."""
    if isinstance(value, int):
        return str(value)
    if math.isnan(value) or math.isinf(value):
        raise ValueError(f"{value} is no number that can be written")
    if value == int(value) and abs(value) < 1e15:
        return str(int(value))
    return repr(value)


def text(value: str) -> str:
    """A text in quotes."""
    escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
    return f'"{escaped}"'


def _entries(value: Any) -> Tuple[str, List[Tuple[str, Any]], str]:
    if isinstance(value, Fields):
        return "(", [(f"{name}: ", each) for name, each in value.items()], ")"
    if isinstance(value, dict):
        return "{", [(f"{text(str(name))}: ", each) for name, each in value.items()], "}"
    if isinstance(value, tuple):
        return "(", [("", each) for each in value], ")"
    return "[", [("", each) for each in value], "]"


def write(value: Any, indent: int = 0, used: int = 0) -> str:
    """A value; `used` columns of its first line are taken already."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Word):
        return str(value)
    if isinstance(value, str):
        return text(value)
    if isinstance(value, (int, float)):
        return number(value)
    opening, entries, closing = _entries(value)
    space = " " if opening == "{" and entries else ""
    line = ", ".join(name + write(each) for name, each in entries)
    line = f"{opening}{space}{line}{space}{closing}"
    if "\n" not in line and used + len(line) <= WIDTH and indent < 400:
        return line
    inner = " " * (indent + 4)
    lines = [
        f"{inner}{name}{write(each, indent + 4, indent + 4 + len(name))},"
        for name, each in entries
    ]
    return "\n".join([opening, *lines, " " * indent + closing])


def document(simulation: Fields) -> str:
    """A whole simulation file; its parts have a line each, whatever their length."""
    lines = [f"    {name}: {write(value, 4, 4 + len(name) + 2)}," for name, value in simulation.items()]
    return "\n".join(["Simulation(", *lines, ")"]) + "\n"
