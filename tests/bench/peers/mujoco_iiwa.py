"""The arm of S3 and S7 in MuJoCo, as text of MJCF."""
import scenes


def numbers(values):
    return " ".join(str(value) for value in values)


def geom(axis, radius, length):
    ends = (0, 0, 0, 0, 0, length) if axis == "z" else (0, 0, 0, 0, length, 0)
    return f'<geom type="cylinder" fromto="{numbers(ends)}" size="{radius}" contype="2" conaffinity="1"/>'


def arm(index, count, held=""):
    """Arm `index` of `count`, with the text of what its last link holds."""
    inner = held
    for number, (at, rpy, limit, mass, center, inertia, shape) in reversed(list(enumerate(scenes.IIWA, 1))):
        inner = (
            f'<body pos="{numbers(at)}" euler="{numbers(rpy)}">'
            f'<inertial pos="{numbers(center)}" mass="{mass}" diaginertia="{numbers(inertia)}"/>'
            f'<joint name="arm{index}_{number}" axis="0 0 1" range="{-limit} {limit}" damping="0.5"/>'
            f"{geom(*shape)}{inner}</body>"
        )
    return f'<body pos="{numbers(scenes.arm_position(index, count))}">{geom("z", 0.12, 0.15)}{inner}</body>'


def motors(index):
    return "".join(
        f'<position joint="arm{index}_{number}" kp="{kp}" kv="{0.05 * kp}" forcerange="-300 300"/>'
        for number, kp in enumerate(scenes.STIFFNESS, 1)
    )
