#!/usr/bin/env python3
"""Count which MJCF models load, and compare those that do with MuJoCo.

    python3 -m venv venv && venv/bin/pip install mujoco==3.17.0 dm_control gymnasium gymnasium-robotics robosuite
    venv/bin/python tests/robots/compare_mjcf.py [--program target/debug/morse-sim] [PATTERN]

For each model that MuJoCo loads: the poses of all bodies at ten random positions of the joints (at most 1e-6 m and 1e-6 rad
apart), and mass, centre of mass and inertia of each body (at most 1e-6 of the whole; 1e-4 with meshes, whose vertices have
single precision). The exit code is 1 if a model that loads differs.
"""
import argparse, collections, glob, json, os, site, subprocess, sys

import mujoco
import numpy as np

POSITIONS = 10
LARGEST = 1e-6
JOINT, TENDON = int(mujoco.mjtEq.mjEQ_JOINT), int(mujoco.mjtEq.mjEQ_TENDON)
PACKAGES = ["dm_control", "gymnasium", "gymnasium_robotics", "robosuite", "mujoco"]


def matrix(quaternion):
    """The rotation matrix of a quaternion w, x, y, z."""
    result = np.zeros(9)
    mujoco.mju_quat2Mat(result, np.array(quaternion, dtype=float))
    return result.reshape(3, 3)


def checked(program, path, allowed):
    """The program's report of one model."""
    done = subprocess.run([program, "check", "--json", "--allow-path", allowed, path], capture_output=True, text=True)
    try:
        return json.loads(done.stdout)["files"][0]
    except (ValueError, KeyError, IndexError):
        return {"errors": 1, "diagnostics": [{"severity": "error", "code": "crash", "message": done.stderr[-200:]}]}


def inspected(program, path, allowed, values):
    words = [program, "inspect", "--json", "--allow-path", allowed, path]
    for name, value in values.items():
        words += ["--at", f"{name}={value!r}"]
    done = subprocess.run(words, capture_output=True, text=True)
    return json.loads(done.stdout)


def names(model, scene):
    """Name of the frame of each body, as the program names bodies without a name."""
    frames = {frame["name"] for frame in scene["frames"]}
    names, taken = {0: "world"}, {model.body(index).name for index in range(model.nbody)}
    for index in range(1, model.nbody):
        name = model.body(index).name
        if not name:
            base = f"{names[model.body_parentid[index]]}-body"
            name, number = base, 2
            while name in taken:
                name, number = f"{base}-{number}", number + 1
            taken.add(name)
        names[index] = name
    return {index: name for index, name in names.items() if name in frames}


def random_position(model, data, generator, bodies, known):
    """Sets random positions of hinges, slides and balls; returns the program's variables, which are all of `known`."""
    values = {}
    for index in range(model.njnt):
        at, kind = model.jnt_qposadr[index], mujoco.mjtJoint(int(model.jnt_type[index]))
        name = model.joint(index).name
        if not name:
            body = model.jnt_bodyid[index]
            number = index - model.body_jntadr[body] + 1
            name = f"{bodies[body]}-joint" + (f"-{number}" if number > 1 else "")
        if kind in (mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE):
            value = float(data.qpos[at] + generator.uniform(-1, 1))
            data.qpos[at] = values[name] = value
        elif kind == mujoco.mjtJoint.mjJNT_BALL:
            total = np.array([1.0, 0, 0, 0])
            for letter, axis in zip("xyz", np.eye(3)):
                angle = float(generator.uniform(-1, 1))
                values[f"{name}.{letter}"] = angle
                turn, product = np.zeros(4), np.zeros(4)
                mujoco.mju_axisAngle2Quat(turn, axis, angle)
                mujoco.mju_mulQuat(product, total, turn)
                total = product
            data.qpos[at : at + 4] = total
    follow(model, data, values, known)
    return values


def factors(model, kind, index):
    """Factors of the joints' deviations in a joint's position or in the length of a fixed tendon."""
    row = np.zeros(model.njnt)
    if index < 0 or kind == JOINT:
        row[index] = float(index >= 0)
        return row
    first = model.tendon_adr[index]
    for wrap in range(first, first + model.tendon_num[index]):
        row[model.wrap_objid[wrap]] += model.wrap_prm[wrap]
    return row


def follow(model, data, values, known):
    """Sets the positions of the joints without a variable, so that the equality constraints hold."""
    rows, sums = [], []
    for index in range(model.neq):
        kind, one, other = model.eq_type[index], model.eq_obj1id[index], model.eq_obj2id[index]
        if kind not in (JOINT, TENDON) or not model.eq_active0[index]:
            continue
        constant, factor = model.eq_data[index][:2]
        rows.append(factors(model, kind, one) - (factor * factors(model, kind, other) if other >= 0 else 0.0))
        sums.append(constant)
    single = [int(mujoco.mjtJoint.mjJNT_HINGE), int(mujoco.mjtJoint.mjJNT_SLIDE)]
    joints = [index for index in range(model.njnt) if model.jnt_type[index] in single]
    unknown = [index for index in joints if model.joint(index).name not in known and model.joint(index).name]
    if not rows or not unknown:
        return
    at = model.jnt_qposadr
    apart = np.zeros(model.njnt)
    apart[joints] = [data.qpos[at[index]] - model.qpos0[at[index]] for index in joints]
    apart[unknown] = 0.0
    rows, sums = np.array(rows), np.array(sums)
    solved = np.linalg.lstsq(rows[:, unknown], sums - rows @ apart, rcond=None)[0]
    for index, own in zip(unknown, solved):
        data.qpos[at[index]] = model.qpos0[at[index]] + own
        values.pop(model.joint(index).name, None)


def compare(program, path, allowed, generator):
    """Largest difference of poses, and of masses and inertias relative to the whole."""
    model = mujoco.MjModel.from_xml_path(path)
    data = mujoco.MjData(model)
    scene = inspected(program, path, allowed, {})
    bodies = names(model, scene)
    assert len(bodies) >= model.nbody - 1, f"{model.nbody - len(bodies)} bodies are missing"
    frames = {frame["name"]: frame for frame in scene["frames"]}
    apart = weights = 0.0
    for _ in range(POSITIONS):
        mujoco.mj_resetData(model, data)
        known = {frame["variable"] for frame in scene["frames"] if "variable" in frame}
        values = random_position(model, data, generator, bodies, known)
        values = {name: value for name, value in values.items() if name in known}
        mujoco.mj_kinematics(model, data)
        assert values or not known, "no joint moves"
        report = inspected(program, path, allowed, values)
        absolute = report["absolute"] if values else report["absolute_at_zero"]
        for index, name in bodies.items():
            x, y, z, w = absolute[name]["q"]
            apart = max(apart, np.abs(np.array(absolute[name]["t"]) - data.xpos[index]).max())
            apart = max(apart, np.abs(matrix([w, x, y, z]) - data.xmat[index].reshape(3, 3)).max())
    total = max(model.body_mass.sum(), 1e-9)
    extent = max(np.abs(model.body_inertia).max(), 1e-12)
    for index, name in bodies.items():
        frame = frames[name]
        weights = max(weights, abs(frame.get("mass", 0.0) - model.body_mass[index]) / total)
        if model.body_mass[index] > 0 and index > 0 and "inertia" in frame:
            turn = matrix(model.body_iquat[index])
            own = turn @ np.diag(model.body_inertia[index]) @ turn.T
            xx, yy, zz, xy, xz, yz = frame["inertia"]
            given = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
            weights = max(weights, np.abs(own - given).max() / extent)
            weights = max(weights, np.abs(model.body_ipos[index] - frame["center_of_mass"]).max())
    return apart, weights, model.nmesh > 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", default="target/debug/morse-sim")
    parser.add_argument("pattern", nargs="?", default="")
    given = parser.parse_args()
    here = site.getsitepackages()[0]
    paths = [path for package in PACKAGES for path in sorted(glob.glob(f"{here}/{package}/**/*.xml", recursive=True))]
    counts, reasons, generator = collections.Counter(), collections.Counter(), np.random.default_rng(1)
    for path in (path for path in paths if given.pattern in path):
        shown = os.path.relpath(path, here)
        try:
            mujoco.MjModel.from_xml_path(path)
        except ValueError:
            counts["refused by MuJoCo"] += 1
            continue
        report = checked(given.program, path, here)
        errors = [one for one in report["diagnostics"] if one["severity"] == "error"]
        if errors:
            counts["refused"] += 1
            print(f"{shown}: refused: {errors[0]['message']}")
            continue
        counts["loads with warnings" if report["diagnostics"] else "loads"] += 1
        reasons.update({one["message"].lstrip("0123456789 ") for one in report["diagnostics"]})
        try:
            apart, weights, has_meshes = compare(given.program, path, here, generator)
        except Exception as error:
            counts["differs"] += 1
            print(f"{shown}: {type(error).__name__} {error}")
            continue
        if apart > LARGEST or weights > (1e-4 if has_meshes else LARGEST):
            counts["differs"] += 1
            print(f"{shown}: poses {apart:.2e}, masses {weights:.2e}")
        else:
            counts["agrees"] += 1
    print(dict(sorted(counts.items())))
    for reason, count in reasons.most_common(12):
        print(f"{count:5} {reason}")
    sys.exit(counts["differs"] > 0)


if __name__ == "__main__":
    main()
