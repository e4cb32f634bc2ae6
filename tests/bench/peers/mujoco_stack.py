"""S1 in MuJoCo: with the fewest steps a tick with which its check passes."""
import mujoco
import numpy

import measure
import scenes

args = measure.arguments()
ticks = round(args.seconds * 60)
starts = scenes.stack(args.n)
cubes = "".join(
    f'<body pos="{x} {y} {z}"><freejoint/><geom type="box" size=".05 .05 .05" mass="1" friction="0.5"/></body>'
    for x, y, z in starts
)


def run(substeps):
    text = (
        f'<mujoco><option timestep="{scenes.TICK / substeps}"/><size memory="2G"/><worldbody>'
        f'<geom type="plane" size="50 50 1" friction="0.5"/>{cubes}</worldbody></mujoco>'
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
    return watch.elapsed(), scenes.check_stack(starts, position), load


substeps, (time, check, load) = measure.fewest_substeps(args, run)
measure.report("mujoco", mujoco.__version__, "stack", args, time, check, ticks=ticks, bodies=args.n, substeps=substeps, load=load)
