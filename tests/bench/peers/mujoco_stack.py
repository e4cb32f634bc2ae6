"""S1 in MuJoCo: with 8 steps a tick, next to its usual 2 ms."""
import mujoco
import numpy

import measure
import scenes

args = measure.arguments()
substeps = args.substeps or 8
starts = scenes.stack(args.n)
cubes = "".join(
    f'<body pos="{x} {y} {z}"><freejoint/><geom type="box" size=".05 .05 .05" mass="1" friction="0.5"/></body>'
    for x, y, z in starts
)
text = (
    f'<mujoco><option timestep="{scenes.TICK / substeps}"/><size memory="2G"/><worldbody>'
    f'<geom type="plane" size="50 50 1" friction="0.5"/>{cubes}</worldbody></mujoco>'
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
check = scenes.check_stack(starts, place)
measure.report("mujoco", mujoco.__version__, "stack", args, time, check, ticks=ticks, bodies=args.n, substeps=substeps, load=load)
