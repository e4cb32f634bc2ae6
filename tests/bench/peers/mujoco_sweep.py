"""S8 in MuJoCo: a beam sweeps boxes aside, at 240 Hz with two steps a tick."""
import mujoco
import numpy

import measure
import scenes

args = measure.arguments()
RATE = 240
ticks = round(args.seconds * RATE)
substeps = args.substeps or 2
starts = scenes.sweep(args.n)
boxes = "".join(
    f'<body pos="{x} {y} {z}"><freejoint/><geom type="box" size=".05 .05 .05" mass="0.4" friction="0.5"/></body>' for x, y, z in starts
)
# The motor of 60 N·m follows a target that moves by 1 rad/s.
text = (
    f'<mujoco><compiler angle="radian"/><option timestep="{1 / RATE / substeps}" integrator="implicitfast"/><worldbody>'
    '<geom type="plane" size="50 50 1" friction="0.5" conaffinity="1" contype="1"/>'
    '<body pos="0 0 0.12"><joint name="swing" axis="0 0 1" ref="-1"/>'
    '<geom type="box" pos="0.5 0 0" size="0.5 0.03 0.05" mass="4" friction="0.4"/></body>'
    f'{boxes}</worldbody><actuator><position joint="swing" kp="2000" kv="200" forcerange="-60 60"/></actuator></mujoco>'
)
loading = measure.Stopwatch()
model = mujoco.MjModel.from_xml_string(text)
data = mujoco.MjData(model)
load = loading.elapsed()[0]
position, turn = numpy.empty((args.n, 3)), numpy.empty((args.n, 4))
watch = measure.Stopwatch()
for tick in range(ticks):
    data.ctrl[0] = min(-1 + tick / RATE, 1)
    mujoco.mj_step(model, data, substeps)
    position[:], turn[:] = data.xpos[-args.n :], data.xquat[-args.n :]
time = watch.elapsed()
check = scenes.check_sweep(starts, position, float(data.qpos[0]), args.seconds)
measure.report(
    "mujoco", mujoco.__version__, "sweep", args, time, check, ticks=ticks, tick=1 / RATE, bodies=args.n, substeps=substeps, load=load
)
