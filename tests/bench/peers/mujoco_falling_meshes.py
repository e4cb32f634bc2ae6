"""S4 in MuJoCo: with 8 steps a tick, next to its usual 2 ms."""
import mujoco
import numpy

import measure
import scenes

args = measure.arguments()
substeps = args.substeps or 8
side, starts, turns = scenes.heap(args.n)
half = side / 2
corners = " ".join(f"{part:.9f}" for corner in scenes.hull() for part in corner)
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
text = (
    f'<mujoco><option timestep="{scenes.TICK / substeps}"/><size memory="4G"/>'
    f'<asset><mesh name="hull" vertex="{corners}" inertia="convex"/></asset>'
    f'<worldbody><geom type="plane" size="50 50 1" friction="0.5"/>{walls}{stones}</worldbody></mujoco>'
)
loading = measure.Stopwatch()
model = mujoco.MjModel.from_xml_string(text)
data = mujoco.MjData(model)
load = loading.elapsed()[0]
place, turn = numpy.empty((args.n, 3)), numpy.empty((args.n, 4))
ticks = round(args.seconds * 60)
watch = measure.Stopwatch()
for _ in range(ticks):
    mujoco.mj_step(model, data, substeps)
    place[:], turn[:] = data.xpos[1:], data.xquat[1:]
time = watch.elapsed()
check = scenes.check_heap(side, starts, place.tolist())
measure.report(
    "mujoco", mujoco.__version__, "falling_meshes", args, time, check, ticks=ticks, bodies=args.n, substeps=substeps, load=load
)
