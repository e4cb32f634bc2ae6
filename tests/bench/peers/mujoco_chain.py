"""S9 in MuJoCo: the first tick of a chain. The model is built by its program interface, since files are not read so deep."""
import mujoco
import numpy

import measure
import scenes

args = measure.arguments()
loading = measure.Stopwatch()
spec = mujoco.MjSpec()
spec.option.timestep = scenes.TICK
spec.memory = 2**31
body = spec.worldbody
for index in range(args.n):
    body = body.add_body(pos=[0.1 if index else 0, 0, 0], mass=0.1, ipos=[0.05, 0, 0], inertia=[1e-4] * 3, explicitinertial=True)
    body.add_joint(type=mujoco.mjtJoint.mjJNT_HINGE, axis=[0, 1, 0])
model = spec.compile()
data = mujoco.MjData(model)
load = loading.elapsed()[0]
position, turn = numpy.empty((args.n, 3)), numpy.empty((args.n, 4))
watch = measure.Stopwatch()
mujoco.mj_step(model, data)
mujoco.mj_kinematics(model, data)
position[:], turn[:] = data.xpos[1:], data.xquat[1:]
time = watch.elapsed()
check = scenes.check_chain(position)
measure.report("mujoco", mujoco.__version__, "chain", args, time, check, ticks=1, bodies=args.n, load=load)
