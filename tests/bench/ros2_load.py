#!/usr/bin/env python3
"""Load of the middleware `ros2`: many robots whose topics one node of rclpy reads, and large messages. Prints figures.

    cargo build --release --features ros2
    python tests/bench/ros2_load.py target/release/morse-sim

The Python needs rclpy (guide: "ROS 2"). Robots have an odometry of 50 Hz and a laser scanner of 10 Hz. The node pauses the run until it
is connected to all topics, and compares what it receives afterwards with what the sensors measure: a message is lost if a later one
of its topic arrives and it does not. The state hashes of runs with and without the middleware and the node have to be equal; the exit
code is 1 otherwise.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

PROFILE = pathlib.Path(__file__).resolve().parents[2] / "examples/ros2_large_messages.xml"
RATE = 100

ROBOTS = """Simulation(
    environment: (rate: RATE),
    robots: { "rover": (
        model: "robots/atrv.robray", base: kinematic,
        repeat: (count: COUNT, pattern: grid(columns: 10, spacing: (3, 3))),
        sensors: {
            "odometry": (kind: "odometry", frequency: 50),
            "scan": (kind: "laser_scanner", frequency: 10, mount: (translation: (0, 0, 0.7))),
        },
        actuators: { "motion": (kind: "v_omega") },
    ) },
    MIDDLEWARES
)"""
LARGE = """Simulation(
    environment: (rate: RATE),
    scene: "environments/boxes.robray",
    robots: { "rover": (
        model: "robots/atrv.robray", base: kinematic,
        sensors: { "eye": (kind: "KIND", frequency: 10, width: WIDTH, height: HEIGHT, mount: (translation: (0.5, 0, 0.7))) },
    ) },
    MIDDLEWARES
)"""
MIDDLEWARE = 'middlewares: { "ros": (kind: "ros2") },'
# Name, kind, size in pixels, topic and type.
STREAMS = [
    ("point clouds of 300 kB", "depth_camera", (300, 192), "/rover/eye", "sensor_msgs/msg/PointCloud2"),
    ("images of 1.2 MB", "video_camera", (640, 480), "/rover/eye/image", "sensor_msgs/msg/Image"),
    ("images of 5.2 MB", "video_camera", (1280, 1024), "/rover/eye/image", "sensor_msgs/msg/Image"),
]


def main():
    if sys.argv[1:2] == ["--node"]:
        return node(json.loads(sys.argv[2]))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--robots", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=30, help="simulated time of the runs in real time")
    parser.add_argument("--fast", type=float, default=300, help="simulated time of the runs at full speed")
    parser.add_argument("--profile", action="store_true", help="use the profile for large messages for many robots, too")
    parser.add_argument("--no-large", action="store_true", help="leave out large messages")
    given = parser.parse_args()
    fleet = ROBOTS.replace("RATE", str(RATE)).replace("COUNT", str(given.robots))
    equal = [at_full_speed(given, fleet), in_real_time(given, fleet)]
    if not given.no_large:
        large(given)
    if not all(equal):
        sys.exit("the state hashes differ")


def at_full_speed(given, fleet):
    """Compares the duration of a tick without the middleware, with it, and with a node, in turn; returns whether the hashes are equal."""
    print(f"{given.robots} robots at full speed, {given.fast:g} s simulated")
    names = "without ros2", "with ros2 and without nodes", "with ros2 and a node"
    durations, hashes = {name: [] for name in names}, set()
    for _ in range(3):
        for name in names:
            file = fleet.replace("MIDDLEWARES", "" if name == names[0] else MIDDLEWARE)
            topics = topics_of(given) if name == names[2] else None
            summary, report = run(given.program, file, given.fast, "max", topics)
            hashes.add(summary["state_hash"])
            ticks, seconds = summary["steps"], summary["wall_seconds"]
            if report:
                ticks, seconds = ticks - round(report["paused_at"] * RATE), report["ended"] - report["played"]
            durations[name].append(1e3 * seconds / ticks)
    for name, spent in durations.items():
        print(f"  {name}: {sorted(spent)[1]:.3f} ms per tick ({min(spent):.3f} to {max(spent):.3f})")
    print(f"  state hashes: {'equal' if len(hashes) == 1 else hashes}")
    return len(hashes) == 1


def in_real_time(given, fleet):
    """Counts the messages of all robots at one node; returns whether the hashes are equal."""
    file = fleet.replace("MIDDLEWARES", MIDDLEWARE)
    summary, report = run(given.program, file, given.seconds, "1", topics_of(given), PROFILE if given.profile else None)
    alone, _ = run(given.program, fleet.replace("MIDDLEWARES", ""), given.seconds, "max", None)
    seconds = given.seconds - report["paused_at"]
    print(f"{given.robots} robots in real time, {seconds:.1f} s")
    for kind, frequency in (("odometry", 50), ("scan", 10)):
        count(kind, frequency, [topic for name, topic in report["topics"].items() if name.endswith(kind)])
    ros = summary["middlewares"]["ros"]
    print(f"  published by the program: {ros['published']}, refused by DDS: {ros['refused']}, readings skipped: {summary['drops']}")
    print(f"  the node uses {report['busy']:.0%} of a core; longest tick {1e3 * summary['slowest_tick']['wall_seconds']:.1f} ms")
    is_equal = summary["state_hash"] == alone["state_hash"]
    print(f"  state hashes: {'equal' if is_equal else 'different'}")
    return is_equal


def large(given):
    """Counts large messages at a node with the usual buffer and with the profile of the guide."""
    print("large messages at 10 Hz in real time")
    for name, kind, (width, height), topic, message in STREAMS:
        file = LARGE.replace("RATE", str(RATE)).replace("KIND", kind).replace("WIDTH", str(width)).replace("HEIGHT", str(height))
        for profile in (None, PROFILE):
            topics = {topic: [message, "sensor_data", 10]}
            summary, report = run(given.program, file.replace("MIDDLEWARES", MIDDLEWARE), given.seconds, "1", topics, profile)
            count(f"{name}, {'usual buffer' if profile is None else 'profile'}", 10, list(report["topics"].values()))


def count(name, frequency, topics):
    """Prints how many of the messages of topics were received and lost."""
    expected, received = sum(topic["expected"] for topic in topics), sum(topic["received"] for topic in topics)
    lost = expected - received
    worst = max(topic["expected"] - topic["received"] for topic in topics)
    print(f"  {name}: {received} of {expected} received, {lost} lost ({lost / max(expected, 1):.2%}), at most {worst} of a topic")


def topics_of(given):
    topics = {}
    for number in range(1, given.robots + 1):
        topics[f"/rover_{number}/odometry"] = ["nav_msgs/msg/Odometry", "reliable", 50]
        topics[f"/rover_{number}/scan"] = ["sensor_msgs/msg/LaserScan", "sensor_data", 10]
    return topics


def run(program, file, until, pace, topics, profile=None):
    """Runs the program, with a node if there are topics, and returns its summary and the report of the node."""
    environment = {**os.environ, "ROS_DOMAIN_ID": str(50 + os.getpid() % 150), "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST"}
    with tempfile.TemporaryDirectory() as directory:
        world = pathlib.Path(directory) / "world.ron"
        world.write_text(file)
        command = [program, world, "--until", f"{until}s", "--rtf", pace, "--json", "--quiet"]
        reader = None
        if topics:
            of_node = {**environment, **({"FASTRTPS_DEFAULT_PROFILES_FILE": str(profile)} if profile else {})}
            wanted = json.dumps({"topics": topics, "until": until})
            reader = subprocess.Popen([sys.executable, __file__, "--node", wanted], env=of_node, stdout=subprocess.PIPE, text=True)
            # The node exists before the run, which it pauses.
            reader.stdout.readline()
        finished = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True)
        ended = time.time()
        if finished.returncode != 0:
            sys.exit(f"{program} failed with the code {finished.returncode}")
        report = None
        if reader:
            report = json.loads(reader.communicate(timeout=60)[0].splitlines()[-1])
            report["ended"] = ended
        return json.loads(finished.stdout), report


def node(wanted):
    """Pauses a run, subscribes to topics, resumes it, and reports what arrives until its end."""
    import importlib

    import rclpy
    from rclpy.qos import QoSProfile, qos_profile_sensor_data
    from simulation_interfaces.msg import SimulationState
    from simulation_interfaces.srv import GetEntities, GetEntityState, SetSimulationState

    rclpy.init()
    reader = rclpy.create_node("reader")
    clients = {}
    for kind, name in ((SetSimulationState, "set_simulation_state"), (GetEntities, "get_entities"), (GetEntityState, "get_entity_state")):
        clients[kind] = reader.create_client(kind, "/" + name)
    print("ready", flush=True)

    def call(kind, **fields):
        if not clients[kind].wait_for_service(30):
            sys.exit("the program does not answer")
        future = clients[kind].call_async(kind.Request(**fields))
        rclpy.spin_until_future_complete(reader, future, timeout_sec=30)
        return future.result() if future.done() else sys.exit("the program does not answer")

    def set_state(state):
        answer = call(SetSimulationState, state=SimulationState(state=state)).result
        if answer.result != answer.RESULT_OK:
            sys.exit(f"the state cannot be set: {answer.error_message}")

    set_state(SimulationState.STATE_PAUSED)
    stamps, latest = {}, [time.monotonic()]

    def note(topic):
        own = stamps.setdefault(topic, [])

        def received(message):
            stamp = message.header.stamp
            own.append(stamp.sec + 1e-9 * stamp.nanosec)
            latest[0] = time.monotonic()

        return received

    for topic, (message, quality, _) in wanted["topics"].items():
        package, _, kind = message.split("/")
        profile = QoSProfile(depth=10) if quality == "reliable" else qos_profile_sensor_data
        reader.create_subscription(getattr(importlib.import_module(package + ".msg"), kind), topic, note(topic), profile)
    end = time.monotonic() + 30
    while any(reader.count_publishers(topic) == 0 for topic in stamps) and time.monotonic() < end:
        rclpy.spin_once(reader, timeout_sec=0.05)
    # The publishers have to find the subscriptions, too.
    end = time.monotonic() + 3
    while time.monotonic() < end:
        rclpy.spin_once(reader, timeout_sec=0.05)
    entity = call(GetEntities).entities[0]
    stamp = call(GetEntityState, entity=entity).state.header.stamp
    paused_at = stamp.sec + 1e-9 * stamp.nanosec
    played, used = time.time(), time.process_time()
    set_state(SimulationState.STATE_PLAYING)
    latest[0] = begin = time.monotonic()
    while time.monotonic() < latest[0] + 3:
        rclpy.spin_once(reader, timeout_sec=0.2)
    busy = (time.process_time() - used) / max(latest[0] - begin, 1e-9)
    # All sensors with one frequency measure in the same ticks.
    frequencies = {topic: frequency for topic, (_, _, frequency) in wanted["topics"].items()}
    report = {}
    for ending in {topic.rpartition("/")[2] for topic in stamps}:
        own = {topic: times for topic, times in stamps.items() if topic.endswith("/" + ending)}
        all_times = sorted(set().union(*own.values()))
        for topic, times in own.items():
            # Stamps that no topic has are lost, too.
            measured = int((wanted["until"] - paused_at) * frequencies[topic])
            report[topic] = {"expected": max(len(all_times), measured), "received": len(set(times))}
    print(json.dumps({"topics": report, "paused_at": paused_at, "played": played, "busy": busy}), flush=True)
    rclpy.shutdown()


main()
