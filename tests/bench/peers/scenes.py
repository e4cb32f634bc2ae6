"""The nine scenes as plain data, and what is right: the same formulas as in `src/cli/bench`."""
import math

TICK = 1 / 60
CIRCLE = 0.1  # radius of the robots' circles, m; and their speed, m/s
RANGE = 30.0
SCANNER_HEIGHT = 0.25


class Generator:
    """Knuth's 64-bit linear congruential generator; the seed is its first state."""

    def __init__(self, seed):
        self.state = seed

    def between(self, low, high):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return low + (high - low) * ((self.state >> 11) / 2**53)


def grid_side(count):
    return math.isqrt(count - 1) + 1


# S1


def stack(count):
    """Centres of the cubes: columns of ten."""
    side = grid_side(-(-count // 10))
    return [
        (0.3 * (i // 10 % side), 0.3 * (i // 10 // side), 0.05 + 0.1005 * (i % 10))
        for i in range(count)
    ]


def check_stack(starts, ends):
    columns = range(0, len(starts), 10)
    standing, first_off = 0, None
    for column in columns:
        top = min(column + 9, len(starts) - 1)
        ideal = 0.05 + 0.1 * (top - column)
        off = abs(ends[top][2] - ideal)
        aside = math.hypot(ends[top][0] - starts[top][0], ends[top][1] - starts[top][1])
        standing += aside < 0.02 and off < 0.03
        if column == 0:
            first_off, first_top = off, float(ends[top][2])
    is_stiff = first_off < 0.007
    return {
        "passed": bool(standing == len(columns) and is_stiff),
        "standing": int(standing),
        "columns": len(columns),
        "top_z": round(first_top, 6),
        "equal_accuracy": bool(is_stiff),
    }


# S2 and S6


def arena():
    """Boxes on the ground, a metre high: x, y, half sides along both, yaw."""
    walls = []
    for side in (20.1, -20.1):
        walls += [(side, 0.0, 0.1, 20.2, 0.0), (0.0, side, 20.2, 0.1, 0.0)]
    random = Generator(12345)
    boxes = []
    for row in range(10):
        for column in range(10):
            x = -17.1 + 3.8 * column + random.between(-0.8, 0.8)
            y = -17.1 + 3.8 * row + random.between(-0.8, 0.8)
            half = random.between(0.2, 0.8), random.between(0.2, 0.8)
            boxes.append((x, y, *half, random.between(0, math.pi)))
    return walls + boxes


def robots(count, boxes):
    """Cylinders of radius 0.15 and height 0.3: x, y, yaw, and 1 or -1 for the side to which they turn."""
    random = Generator(777)
    middles, poses = [], []
    while len(poses) < count:
        x, y = random.between(-19.5, 19.5), random.between(-19.5, 19.5)
        angle = random.between(0, 2 * math.pi)
        turn = 1.0 if random.between(0, 1) < 0.5 else -1.0
        if any(gap(box, x, y) < 0.3 for box in boxes[4:]):
            continue
        if any(math.hypot(u - x, v - y) < 0.55 for u, v in middles):
            continue
        middles.append((x, y))
        yaw = angle + turn * math.pi / 2
        poses.append((x + CIRCLE * math.cos(angle), y + CIRCLE * math.sin(angle), yaw, turn))
    return poses


def gap(box, x, y):
    """Distance of a point from a box; 0 inside."""
    u, v = x - box[0], y - box[1]
    cosine, sine = math.cos(box[4]), math.sin(box[4])
    beside = abs(cosine * u + sine * v) - box[2]
    before = abs(cosine * v - sine * u) - box[3]
    return math.hypot(max(beside, 0), max(before, 0))


def exact_range(boxes, others, x, y, angle):
    """Range of a horizontal ray at the height of the scanners."""
    best = RANGE
    along = math.cos(angle), math.sin(angle)
    for box in boxes:
        cosine, sine = math.cos(box[4]), math.sin(box[4])
        enters, leaves = -math.inf, math.inf
        for axis, (one, other) in enumerate(((cosine, sine), (-sine, cosine))):
            start = one * (x - box[0]) + other * (y - box[1])
            speed = one * along[0] + other * along[1] or 1e-300
            pair = sorted(((-box[2 + axis] - start) / speed, (box[2 + axis] - start) / speed))
            enters, leaves = max(enters, pair[0]), min(leaves, pair[1])
        if 0 < enters <= leaves:
            best = min(best, enters)
    for u, v in others:
        towards = along[0] * (u - x) + along[1] * (v - y)
        root = towards**2 - ((u - x) ** 2 + (v - y) ** 2 - 0.15**2)
        if root > 0 and towards - math.sqrt(root) > 0:
            best = min(best, towards - math.sqrt(root))
    return best


def check_scans(boxes, poses, scans):
    """Compares the scans of the first robots with exact ones; `poses` are x, y and yaw of all."""
    bad = count = 0
    errors = []
    for robot, scan in enumerate(scans[:10]):
        x, y, yaw = poses[robot][:3]
        others = [tuple(pose[:2]) for other, pose in enumerate(poses) if other != robot]
        for ray, measured in enumerate(scan):
            exact = exact_range(boxes, others, x, y, yaw + math.radians(ray))
            errors.append(abs(exact - measured))
            bad += not errors[-1] <= 0.02
            count += 1
    return {
        "passed": bad * 300 <= count,
        "scan_bad_beams": bad,
        "scan_beams_checked": count,
        "scan_median_err": round(float(sorted(errors)[len(errors) // 2]), 9),
    }


# S3

STIFFNESS = (2000, 2000, 2000, 2000, 500, 500, 200)

# KUKA's iiwa: joint relative to the parent link (m, rad), limit (rad), mass (kg), its centre (m), inertia about that
# (kg m2), axis, radius and length of a cylinder as large as the link (m).
WIDE, NARROW = math.radians(170), math.radians(120)
HALF = math.pi / 2
IIWA = (
    ((0, 0, 0.1575), (0, 0, 0), WIDE, 4, (0, -0.03, 0.12), (0.1, 0.09, 0.02), ("z", 0.085, 0.28)),
    ((0, 0, 0.2025), (HALF, 0, math.pi), NARROW, 4, (0.0003, 0.059, 0.042), (0.05, 0.018, 0.044), ("y", 0.085, 0.2)),
    ((0, 0.2045, 0), (HALF, 0, math.pi), WIDE, 3, (0, 0.03, 0.13), (0.08, 0.075, 0.01), ("z", 0.068, 0.28)),
    ((0, 0, 0.2155), (HALF, 0, 0), NARROW, 2.7, (0, 0.067, 0.034), (0.03, 0.01, 0.029), ("y", 0.068, 0.18)),
    ((0, 0.1845, 0), (-HALF, math.pi, 0), WIDE, 1.7, (0.0001, 0.021, 0.076), (0.02, 0.018, 0.005), ("z", 0.068, 0.26)),
    ((0, 0, 0.2155), (HALF, 0, 0), NARROW, 1.8, (0, 0.0006, 0.0004), (0.005, 0.0036, 0.0047), ("y", 0.066, 0.08)),
    ((0, 0.081, 0), (-HALF, math.pi, 0), math.radians(175), 0.3, (0, 0, 0.02), (0.001,) * 3, ("z", 0.05, 0.045)),
)


def arm_position(arm, count):
    side = grid_side(count)
    return 2.0 * (arm % side), 2.0 * (arm // side), 0.0


def check_arms(lag, fastest):
    return {
        "passed": bool(lag < 0.1 and 0 < fastest < 10),
        "max_tracking_err_rad": round(float(lag), 6),
        "max_speed_rad_s": round(float(fastest), 6),
    }


# S4

CORNERS = 12


def hull():
    """Corners of an icosahedron whose edges are halved once, on an ellipsoid."""
    golden = (1 + math.sqrt(5)) / 2
    flat = [(-1, golden), (1, golden), (-1, -golden), (1, -golden)]
    corners = [(a, b, 0) for a, b in flat] + [(0, a, b) for a, b in flat] + [(b, 0, a) for a, b in flat]
    # Edges connect neighbours, at a distance of 2.
    for i in range(CORNERS):
        for j in range(i):
            if abs(math.dist(corners[i], corners[j]) - 2) < 1e-9:
                corners.append([a + b for a, b in zip(corners[i], corners[j])])
    size = 0.12, 0.10, 0.08
    return [[half * coordinate / math.hypot(*corner) for half, coordinate in zip(size, corner)] for corner in corners]


def heap(count):
    """Inner side of the box, positions, and quaternions as w, x, y, z."""
    edge = next(edge for edge in range(1, count + 1) if edge**3 >= count)
    random = Generator(4242)
    positions, turns = [], []
    for i in range(count):
        x = (i % edge - (edge - 1) / 2) * 0.26 + random.between(-0.02, 0.02)
        y = (i // edge % edge - (edge - 1) / 2) * 0.26 + random.between(-0.02, 0.02)
        positions.append((x, y, 0.3 + i // edge**2 * 0.26))
        turn = [random.between(-1, 1) for _ in range(4)]
        turns.append([entry / math.hypot(*turn) for entry in turn])
    return 0.26 * edge + 0.2, positions, turns


def check_heap(side, starts, ends):
    highest = max([3.0] + [start[2] for start in starts])
    inside = sum(abs(x) < side / 2 and abs(y) < side / 2 and 0 < z < highest for x, y, z in ends)
    mean, start = (sum(position[2] for position in positions) / len(positions) for positions in (ends, starts))
    return {
        "passed": bool(inside == len(starts) and mean < start),
        "inside": int(inside),
        "of": len(starts),
        "mean_z": round(float(mean), 6),
    }


# S5


def load(count):
    """Boxes on the ground, a metre high: x, y, half sides along both, yaw."""
    side = grid_side(count)
    random = Generator(99)
    boxes = []
    for i in range(count):
        half = random.between(0.2, 0.8), random.between(0.2, 0.8)
        boxes.append((i % side * 2.0 + 2, i // side * 2.0, *half, random.between(0, math.pi)))
    return boxes


# S7

TRAY = 0.085  # height of the tray's top above the last link, m


def tray(count):
    """Centres of the boxes: on a square grid on the tray, above the arm."""
    side = grid_side(count)
    middle = (side - 1) / 2
    return [(0.11 * (i % side - middle), 0.11 * (i // side - middle), 1.261 + TRAY + 0.05) for i in range(count)]


def tray_target(seconds):
    return 0.3 * (1 - math.cos(2 * math.pi * 0.2 * seconds))


def check_tray(starts, ends, at, turn):
    """`at` and `turn` are the position and the rotation matrix of the last link."""
    shift = 0.0
    for (x, y, z), end in zip(starts, ends):
        start = x, y, z - 1.261
        away = [end[axis] - at[axis] for axis in range(3)]
        own = [sum(turn[row][axis] * away[row] for row in range(3)) for axis in range(3)]
        shift = max(shift, math.dist(start, own))
    return {"passed": bool(shift < 2e-3), "largest_shift_m": round(float(shift), 6)}


# S8


def sweep(count):
    """Centres of the boxes: a row of columns of two."""
    columns = -(-count // 2)
    return [(0.8, 0.12 * (i // 2 - (columns - 1) / 2), 0.1 * (0.5 + i % 2)) for i in range(count)]


def check_sweep(starts, ends, position, seconds):
    swept = sum(bool(end[1] > start[1] + 0.1) for start, end in zip(starts, ends))
    lowest = float(min(end[2] for end in ends))
    arrives = abs(position - 1) < 0.01 and 2 * swept >= len(starts)
    return {
        "passed": bool(lowest > 0.047 and math.isfinite(position) and (arrives or seconds < 2.5)),
        "swept": swept,
        "of": len(starts),
        "position_rad": round(position, 6),
        "lowest_m": round(lowest, 6),
    }


# S9


def check_chain(ends):
    free = 9.81 * TICK**2
    first, last = -float(ends[0][2]), -float(ends[-1][2])
    return {
        "passed": bool(abs(first) < 1e-9 and 0.4 * free < last < 1.6 * free),
        "first_m": round(first, 9),
        "last_m": round(last, 9),
    }
