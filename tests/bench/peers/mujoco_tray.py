"""S7 in MuJoCo: boxes on a tray that the arm of S3 turns to and fro; with the fewest steps a tick with which its check passes."""
import mujoco
import numpy

import measure
import scenes
from mujoco_iiwa import arm, motors

args = measure.arguments()
ticks = round(args.seconds * 60)
starts = scenes.tray(args.n)
half = (0.11 * scenes.grid_side(args.n) + 0.1) / 2
tray = f'<body pos="0 0 {scenes.TRAY - 0.02}"><geom type="box" size="{half} {half} .02" mass="3" friction="0.8"/></body>'
boxes = "".join(
    f'<body pos="{x} {y} {z}"><freejoint/><geom type="box" size=".05 .05 .05" mass="0.1" friction="0.8"/></body>' for x, y, z in starts
)


def run(substeps):
    text = (
        f'<mujoco><compiler angle="radian" eulerseq="XYZ"/><option timestep="{scenes.TICK / substeps}" integrator="implicitfast"/>'
        '<size memory="2G"/><worldbody><geom type="plane" size="50 50 1" contype="1" conaffinity="2"/>'
        f"{arm(0, 1, tray)}{boxes}</worldbody><actuator>{motors(0)}</actuator></mujoco>"
    )
    loading = measure.Stopwatch()
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    load = loading.elapsed()[0]
    position, turn = numpy.empty((args.n, 3)), numpy.empty((args.n, 4))
    watch = measure.Stopwatch()
    for tick in range(ticks):
        data.ctrl[0] = scenes.tray_target(tick * scenes.TICK)
        mujoco.mj_step(model, data, substeps)
        position[:], turn[:] = data.xpos[-args.n :], data.xquat[-args.n :]
    time = watch.elapsed()
    link = -args.n - 2
    return time, scenes.check_tray(starts, position, data.xpos[link], data.xmat[link].reshape(3, 3)), load


substeps, (time, check, load) = measure.fewest_substeps(args, run)
measure.report("mujoco", mujoco.__version__, "tray", args, time, check, ticks=ticks, bodies=args.n, substeps=substeps, load=load)
