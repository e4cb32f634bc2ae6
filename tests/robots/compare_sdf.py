#!/usr/bin/env python3
"""Count which SDF files load, and compare those that do with libsdformat.

    apt install libsdformat-dev g++ dart-doc libsimbody-dev sdformat-doc
    g++ -std=c++17 tests/robots/sdf_poses.cc $(pkg-config --cflags --libs sdformat12) -o /tmp/sdf_poses
    tests/robots/compare_sdf.py [--program target/debug/morse-sim] [--poses /tmp/sdf_poses] [--models DIRECTORY] PATH…

PATH is a file, or a directory with `.sdf` and `.world` files in it or below; `/usr/share/doc/dart`, `/usr/share/doc/simbody` and
`/usr/share/doc/sdformat-doc` are those of Debian's packages. For each file that loads: the poses of all links
and frames (at most 1e-6 m and 1e-6 rad apart), positions and directions of axes, masses and inertias (1e-6), unless libsdformat
refuses the file. libsdformat rounds the poses of models that it merges (`<include merge="true">`) to six digits, so that these
differ by up to 5e-6 of their size. The exit code is 1 if a file that loads differs.
"""
import argparse, collections, json, math, os, pathlib, subprocess, sys

LARGEST = 1e-6


def checked(program, path, models):
    """The program's report of one file."""
    words = [program, "check", "--json", "--allow-path", str(path.parent.parent)]
    done = subprocess.run(words + models + [str(path)], capture_output=True, text=True, timeout=120)
    try:
        return json.loads(done.stdout)["files"][0]
    except (ValueError, KeyError, IndexError):
        return {"diagnostics": [{"severity": "error", "code": "crash", "message": done.stderr[-200:]}]}


def turned(quaternion, vector):
    """A vector, rotated by a quaternion x, y, z, w."""
    x, y, z, w = quaternion
    a, b, c = vector
    u = [y * c - z * b + w * a, z * a - x * c + w * b, x * b - y * a + w * c]
    return [a + 2 * (y * u[2] - z * u[1]), b + 2 * (z * u[0] - x * u[2]), c + 2 * (x * u[1] - y * u[0])]


def apart(one, other):
    """Largest difference of two poses."""
    distance = max(abs(a - b) for a, b in zip(one["t"], other["t"]))
    # The sign of a quaternion has no meaning.
    turn = min(math.dist(one["q"], other["q"]), math.dist(one["q"], [-entry for entry in other["q"]]))
    return max(distance, 2 * turn)


def compare(program, path, models, expected):
    """Largest differences of poses, axes and masses; names that are missing."""
    words = [program, "inspect", "--json", "--allow-path", str(path.parent.parent)]
    scene = json.loads(subprocess.run(words + models + [str(path)], capture_output=True, text=True).stdout)
    frames = {frame["name"]: frame for frame in scene["frames"]}
    moved = {frame["variable"]: frame["name"] for frame in scene["frames"] if "variable" in frame}
    absolute, poses, axes, masses, missing = scene["absolute_at_zero"], 0.0, 0.0, 0.0, []
    fixed = [entry["name"] for entry in expected if entry.get("static")]
    for entry in expected:
        name = entry["name"]
        if entry["kind"] == "joint":
            if "axis" not in entry or name not in moved:
                continue
            own = absolute[moved[name]]
            axis = turned(own["q"], frames[moved[name]]["axis"])
            axes = max([axes] + [abs(a - b) for a, b in zip(axis + own["t"], entry["axis"] + entry["t"])])
        elif name not in absolute:
            missing.append(name)
        else:
            poses = max(poses, apart(absolute[name], entry))
        if entry["kind"] == "link" and entry["mass"] > 0 and not any(name.startswith(one + "::") for one in fixed):
            frame = frames[name]
            if "mass" not in frame:
                continue
            own = [frame["mass"], *frame["center_of_mass"]]
            given = [entry["mass"], *entry["center"]]
            if "inertia" in frame:
                own, given = own + frame["inertia"], given + entry["inertia"]
            masses = max([masses] + [abs(a - b) / max(1, abs(b)) for a, b in zip(own, given)])
    return poses, axes, masses, missing


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="target/debug/morse-sim")
    parser.add_argument("--poses", help="compiled sdf_poses.cc; without it, files are only counted")
    parser.add_argument("--models", action="append", default=[], help="directory that contains models; repeatable")
    parser.add_argument("paths", nargs="+", type=pathlib.Path)
    given = parser.parse_args()
    models = [word for one in given.models for word in ("--sdf-path", one)]
    paths = []
    for path in given.paths:
        files = [one for ending in ("sdf", "world") for one in path.glob(f"**/*.{ending}")] if path.is_dir() else [path]
        paths += sorted(files)
    counts, reasons = collections.Counter(), collections.Counter()
    for path in paths:
        report = checked(given.program, path, models)
        errors = [one for one in report["diagnostics"] if one["severity"] == "error"]
        if errors:
            counts["refused"] += 1
            print(f"{path}: refused: {errors[0]['message']}")
            continue
        counts["loads with warnings" if report["diagnostics"] else "loads"] += 1
        reasons.update({one["message"].lstrip("0123456789 ") for one in report["diagnostics"]})
        if not given.poses:
            continue
        done = subprocess.run([given.poses, str(path)] + given.models, capture_output=True, text=True)
        try:
            expected = json.loads(done.stdout)
        except ValueError:
            expected = []
        if not expected:
            counts["refused by libsdformat"] += 1
            continue
        poses, axes, masses, missing = compare(given.program, path, models, expected)
        if missing or max(poses, axes, masses) > LARGEST:
            counts["differs"] += 1
            print(f"{path}: poses {poses:.1e}, axes {axes:.1e}, masses {masses:.1e}, missing {missing[:5]}")
        else:
            counts["agrees"] += 1
    print(dict(sorted(counts.items())))
    for reason, count in reasons.most_common(20):
        print(f"{count:5} {reason}")
    sys.exit(counts["differs"] > 0)


if __name__ == "__main__":
    main()
