"""S4 in MuJoCo: with the fewest steps a tick with which its check passes."""
import mujoco
import numpy

import measure
import scenes

args = measure.arguments()
ticks = round(args.seconds * 60)
side, starts, turns = scenes.heap(args.n)
half = side / 2
corners = " ".join(f"{coordinate:.9f}" for corner in scenes.hull() for coordinate in corner)
walls = "".join(
    f'<geom type="box" pos="{x} {y} 1.5" size="{a} {b} 1.5" friction="0.5"/>'
    for x, y, a, b in (
        (half + 0.1, 0, 0.1, half + 0.2),
        (-half - 0.1, 0, 0.1, half + 0.2),
        (0, half + 0.1, half + 0.2, 0.1),
        (0, -half - 0.1, half + 0.2, 0.1),
    )
)
stones = "".join(
    f'<body pos="{x} {y} {z}" quat="{w} {i} {j} {k}"><freejoint/><geom type="mesh" mesh="hull" mass="1" friction="0.5"/></body>'
    for (x, y, z), (w, i, j, k) in zip(starts, turns)
)


def run(substeps):
    text = (
        f'<mujoco><option timestep="{scenes.TICK / substeps}"/><size memory="4G"/>'
        f'<asset><mesh name="hull" vertex="{corners}" inertia="convex"/></asset>'
        f'<worldbody><geom type="plane" size="50 50 1" friction="0.5"/>{walls}{stones}</worldbody></mujoco>'
    )
    loading = measure.Stopwatch()
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    load = loading.elapsed()[0]
    position, turn = numpy.empty((args.n, 3)), numpy.empty((args.n, 4))
    watch = measure.Stopwatch()
    for _ in range(ticks):
        mujoco.mj_step(model, data, substeps)
        position[:], turn[:] = data.xpos[1:], data.xquat[1:]
    return watch.elapsed(), scenes.check_heap(side, starts, position.tolist()), load


substeps, (time, check, load) = measure.fewest_substeps(args, run)
measure.report(
    "mujoco", mujoco.__version__, "falling_meshes", args, time, check, ticks=ticks, bodies=args.n, substeps=substeps, load=load
)
