#!/usr/bin/env python3
"""Write `actuated.json`: models of one arm, and the positions of its joint after one second, by MuJoCo's Runge–Kutta method with
steps of 0.1 ms."""
import json, pathlib

import mujoco

JOINT = "<joint name='h' axis='0 1 0' {}/>"
ARM = """<mujoco model='m'>{option}<worldbody><body name='b' pos='0 0 1' {body}>{joint}
<inertial pos='0.3 0 0' mass='1' diaginertia='0.02 0.02 0.02'/>{inner}</body></worldbody>
<actuator>{actuators}</actuator><sensor><jointpos joint='h'/></sensor>
<keyframe><key qpos='{position}' ctrl='{controls}' act='{activations}'/></keyframe></mujoco>"""


def arm(actuators="", controls="", position="0.2", activations="", option="", body="", joint="", inner=""):
    return ARM.format(**{**locals(), "joint": JOINT.format(joint)})


def flags(*names):
    return "<option><flag " + " ".join(f"{name}='disable'" for name in names) + "/></option>"


CASES = {
    # Constant efforts: gain · control · gear.
    "motor": arm("<motor joint='h' gear='2'/>", "1.5"),
    "motor within ctrlrange": arm("<motor joint='h' gear='2' ctrlrange='-1 1'/>", "1.5"),
    "motor within forcerange": arm("<motor joint='h' gear='2' forcerange='-1 1'/>", "1.5"),
    "motor at the lesser limit": arm("<motor joint='h' gear='2' forcerange='-4 1'/>", "1.5"),
    "two motors": arm("<motor joint='h' gear='2'/><motor joint='h'/>", "0.5 1"),
    "two limited motors": arm(
        "<motor joint='h' forcerange='-1 1'/><motor joint='h' gear='-0.5' ctrlrange='-2 2'/>", "5 -3"
    ),
    "general without bias": arm("<general joint='h' gainprm='5' ctrlrange='-1 1'/>", "2", "0"),
    "general with a constant bias": arm(
        "<general joint='h' gainprm='2' biastype='affine' biasprm='3'/>", "-0.5"
    ),
    # Constant efforts beside springs.
    "motor and servo": arm(
        "<position joint='h' kp='30' kv='2'/><motor joint='h' gear='3'/>", "0.4 1"
    ),
    "motor and velocity": arm("<velocity joint='h' kv='5'/><motor joint='h' gear='3'/>", "0.4 1"),
    "motor and spring": arm(
        "<motor joint='h' gear='3'/>", "1", joint="stiffness='20' springref='10' damping='1'"
    ),
    # The rest position of the spring is beyond the range.
    "spring against a limit": arm(joint="stiffness='2' springref='-300' damping='0.5' range='-60 60'"),
    "motor that exceeds the range of its spring": arm(
        "<motor joint='h' gear='20'/>", "-1", joint="stiffness='5' damping='1' range='-100 100'"
    ),
    # The activation at the start is the target. Activations are in the order of their actuators.
    "integrated control at rest": arm(
        "<general joint='h' dyntype='integrator' gainprm='30' biastype='affine' biasprm='0 -30 -2'/>"
        "<motor joint='h'/><intvelocity joint='h' kp='20' kv='1' actrange='-1 0.5'/>",
        "0 2 0", activations="0.3 0.4",
    ),
    # Damping ratios refer to the inertia of the joint, with its armature, in the pose of the file.
    **{
        f"damping ratio of {ratio}": arm(
            f"<position joint='h' kp='5' dampratio='{ratio}' gear='1.5'/>", "1", joint="armature='0.05'",
            inner="<body pos='0.5 0 0'><geom size='0.1' mass='0.5'/></body>",
        )
        for ratio in (0.1, 1, 2)
    },
    "general with a damping ratio": arm(
        "<general joint='h' gainprm='5' biastype='affine' biasprm='0 -5 0.2'/>", "1"
    ),
    # Parts of the range of the joint.
    "inherited range of the control": arm(
        "<position joint='h' kp='50' kv='3' inheritrange='0.5'/>", "3", joint="range='-30 90'"
    ),
    "inherited range of the activation": arm(
        "<intvelocity joint='h' kp='50' kv='3' inheritrange='0.5'/>", "0", activations="3", joint="range='-30 90'"
    ),
    # Damping and armature of actuators.
    "damped actuator": arm("<motor joint='h' gear='2' damping='0.1' armature='0.05'/>", "1"),
    # Compensated weights, also of a body that is fixed to another one, and of one that hangs on a joint.
    "without weight": arm("<motor joint='h'/>", "0.5", body="gravcomp='1'"),
    "weight of a second link": arm(
        body="gravcomp='1'", position="0.2 0",
        inner="<body pos='0.5 0 0'><joint axis='0 1 0' damping='0.1'/><geom size='0.1' mass='0.5'/></body>",
    ),
    "second link without weight": arm(
        position="0.2 0",
        inner="<body pos='0.5 0 0' gravcomp='1'><joint axis='0 1 0' pos='0 0 0.1' damping='0.1'/>"
        "<geom size='0.1' mass='0.5'/><body pos='0.2 0 0' gravcomp='1'><geom size='0.1' mass='0.1'/></body></body>",
    ),
    "no compensation without passive forces": arm(
        body="gravcomp='1'", option=flags("spring", "damper")
    ),
    "compensated by an actuator": arm(
        "<motor joint='h'/>", "0.5", body="gravcomp='1'", joint="actuatorgravcomp='true'"
    ),
    # Forces and actuators that are switched off.
    "no springs": arm(joint="stiffness='10' damping='2'", option=flags("spring")),
    "no dampers": arm(joint="stiffness='10' damping='2'", option=flags("damper")),
    "no springs of springdamper": arm(joint="springdamper='0.2 0.5'", option=flags("spring")),
    "no dampers of springdamper": arm(joint="springdamper='0.2 0.5'", option=flags("damper")),
    "no dry friction": arm(joint="frictionloss='1'", option=flags("frictionloss")),
    "damping of servos": arm(
        "<position joint='h' kp='30' kv='2'/>", "0.5", option=flags("spring", "damper"),
        joint="stiffness='10' damping='5'",
    ),
    "a group of actuators": arm(
        "<position joint='h' kp='90' kv='2' group='1'/><motor joint='h'/><motor joint='h' gear='9' group='3'/>",
        "0.4 1 1", option="<option actuatorgroupdisable='1 3'/>",
    ),
}


def main():
    here = pathlib.Path(__file__).parent
    cases = {}
    for name, text in CASES.items():
        model = mujoco.MjModel.from_xml_string(text)
        model.opt.timestep = 1e-4
        model.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
        data = mujoco.MjData(model)
        mujoco.mj_resetDataKeyframe(model, data, 0)
        for _ in range(10_000):
            mujoco.mj_step(model, data)
        cases[name] = {"model": text, "position": float(data.joint("h").qpos[0])}
        print(name, cases[name]["position"])
    (here / "actuated.json").write_text(json.dumps(cases, indent=1) + "\n")


main()
