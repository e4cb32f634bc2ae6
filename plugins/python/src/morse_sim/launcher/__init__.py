"""`morse`: MORSE's command line. Runs builder scripts with morse-sim, and looks after folders of them."""
from __future__ import annotations

import argparse
import os
import re
import sys
from typing import List, Optional, Tuple

from .. import __version__
from ..builder.errors import MorseError
from . import sites
from .program import check
from .run import migrate, run

FINE, WRONG = 0, 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="morse", description="Runs builder scripts of MORSE with morse-sim.")
    parser.add_argument("-n", "--noaudio", action="store_true", help="there is no sound")
    parser.add_argument("-c", "--color", "--with-colors", action="store_true", help="has no effect")
    parser.add_argument("--reverse-color", "--with-reverse-color", action="store_true", help="has no effect")
    parser.add_argument("-v", "--version", action="version", version=f"morse {__version__} (morse-sim)")
    verbs = parser.add_subparsers(dest="verb", metavar="VERB")
    for verb, text in (("run", "run a script"), ("exec", "run a script"), ("edit", "there is no Blender")):
        words = verbs.add_parser(verb, help=text)
        words.add_argument("env", nargs="?", help="a folder of scripts that `create` or `import` made known")
        words.add_argument("file", nargs="?", help="a builder script, or a simulation file")
        words.add_argument("pyoptions", nargs="*", help="what the script finds in sys.argv")
        words.add_argument("--name", help="the name of this node")
        words.add_argument("-g", "--geometry", help="there is no window")
        words.add_argument("-b", "--base", help="for `edit`")
        words.add_argument("--rtf", help="simulated seconds a second, or max, whatever the script says")
        words.add_argument("--serve", metavar="ADDR:PORT", nargs="?", help="show it in a browser: to morse-sim, as what follows")
        words.add_argument("--view", action="store_true", help="show it in a window")
        words.add_argument("--record", metavar="FILE", help="record it")
    words = verbs.add_parser("create", help="make a folder with a first script")
    words.add_argument("env")
    words.add_argument("-f", "--force", action="store_true", help="replace what is there")
    words = verbs.add_parser("import", help="make a folder of scripts known")
    words.add_argument("path")
    words.add_argument("env", nargs="?")
    words.add_argument("-f", "--force", action="store_true", help="replace an entry of this name")
    words = verbs.add_parser("rm", help="delete a folder that is known")
    words.add_argument("env")
    words.add_argument("-f", "--force", action="store_true", help="do not ask")
    words = verbs.add_parser("add", help="add a robot, a sensor or an actuator to a folder")
    words.add_argument("type", choices=["robot", "sensor", "actuator"])
    words.add_argument("name")
    words.add_argument("env")
    words.add_argument("-f", "--force", action="store_true", help="replace what is there")
    words.add_argument("--morse", metavar="PATH", help="the repository of morse-sim, where it is not known")
    verbs.add_parser("check", help="see whether everything is in place")
    words = verbs.add_parser("migrate", help="write the simulation file that a script stands for")
    words.add_argument("file", help="a builder script")
    words.add_argument("-o", "--output", help="the simulation file; NAME.ron next to the script unless given")
    words.add_argument("-f", "--force", action="store_true", help="replace what is there")
    return parser


def main(arguments: Optional[List[str]] = None) -> int:
    """The program; its exit code."""
    parser = _parser()
    arguments, simulator = _of_simulator(sys.argv[1:] if arguments is None else arguments)
    given, rest = parser.parse_known_args(arguments)
    try:
        return _do(given, rest, simulator, parser)
    except MorseError as error:
        print(f"morse: {error}", file=sys.stderr)
        return WRONG
    except OSError as error:
        print(f"morse: {error}", file=sys.stderr)
        return WRONG


def _of_simulator(words: List[str]) -> Tuple[List[str], List[str]]:
    """Takes the options of morse-sim out of the words for `run`; what follows `--` is the script's."""
    verb = next((word for word in words if not word.startswith("-")), None)
    if verb not in ("run", "exec"):
        return words, []
    end = words.index("--") if "--" in words else len(words)
    own, taken = [], []
    waiting = words[:end]
    while waiting:
        word = waiting.pop(0)
        name = word.split("=")[0]
        if name not in ("--serve", "--view", "--record"):
            own.append(word)
            continue
        taken.append(word)
        is_address = waiting and re.fullmatch(r"([\w.:\[\]-]+:)?\d+", waiting[0])
        if word == "--record" and waiting or word == "--serve" and is_address:
            taken.append(waiting.pop(0))
    return own + words[end:], taken


def _do(given: argparse.Namespace, rest: List[str], simulator: List[str], parser: argparse.ArgumentParser) -> int:
    verb = given.verb
    if verb in ("run", "exec"):
        script, folder = sites.script(given.env, given.file)
        # Without a known folder, the second word is the script's.
        own = [given.file] if given.file and folder is None else []
        if given.name:
            os.environ["MORSE_NODE"] = given.name
        return run(script, own + given.pyoptions + rest, folder, given.rtf, simulator)
    if rest:
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
    if verb == "edit":
        print("morse: there is no Blender to edit in. `morse migrate` writes a simulation file and scenes, which "
              "any editor changes", file=sys.stderr)
        return WRONG
    if verb == "check":
        return check()
    if verb == "migrate":
        return migrate(given.file, given.output, given.force)
    if verb == "create":
        return sites.create(given.env, given.force)
    if verb == "import":
        return sites.register(given.path, given.env, given.force)
    if verb == "rm":
        return sites.remove(given.env, given.force)
    if verb == "add":
        return sites.add(given.type, given.name, given.env, given.force, given.morse)
    parser.print_help()
    return FINE
