"""A node that subscribes and publishes as its argument says, and prints what it received as JSON.

The argument is a JSON object:

- `subscribe`: topic → [type, quality], with the quality `sensor_data`, `reliable` or `latched`;
- `publish`: topic → [type, message]; published at 20 Hz;
- `count`: the number of messages of each topic to wait for; `seconds`: the longest wait;
- `longest_list`: the length from which lists are printed as their length only;
- `graph`: true to wait for the simulator's node, and print topics with their types.
"""
import importlib
import json
import math
import sys
import time

import rclpy
from rclpy.qos import DurabilityPolicy, QoSProfile, qos_profile_sensor_data

QUALITIES = {
    "sensor_data": qos_profile_sensor_data,
    "reliable": QoSProfile(depth=10),
    "latched": QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL),
}


def class_of(name):
    package, _, kind = name.split("/")
    return getattr(importlib.import_module(package + ".msg"), kind)


def plain(value, longest):
    """Returns a message as plain data; numbers that JSON lacks as text."""
    if hasattr(value, "get_fields_and_field_types"):
        return {name: plain(getattr(value, name), longest) for name in value.get_fields_and_field_types()}
    if isinstance(value, (bytes, str, bool, int)):
        return value if not isinstance(value, bytes) else list(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if len(value) > longest:
        return len(value)
    return [plain(item, longest) for item in (value.tolist() if hasattr(value, "tolist") else value)]


def fill(message, values):
    for name, value in values.items():
        field = getattr(message, name)
        if isinstance(value, dict):
            fill(field, value)
        else:
            setattr(message, name, value)
    return message


def main():
    wanted = json.loads(sys.argv[1])
    rclpy.init()
    node = rclpy.create_node("peer")
    received = {}
    for topic, (kind, quality) in wanted.get("subscribe", {}).items():
        received[topic] = []
        node.create_subscription(class_of(kind), topic, received[topic].append, QUALITIES[quality])
    publishers = []
    for topic, (kind, values) in wanted.get("publish", {}).items():
        message = fill(class_of(kind)(), values)
        publishers.append((node.create_publisher(class_of(kind), topic, 10), message))
    print("ready", flush=True)
    count, end = wanted.get("count", 1), time.monotonic() + wanted.get("seconds", 20)
    next_time = time.monotonic()

    def waits():
        if wanted.get("graph"):
            # The names of nodes arrive on a topic of their own, after the topics.
            return "morse_sim" not in node.get_node_names()
        return any(len(messages) < count for messages in received.values()) or not received

    while time.monotonic() < end and waits():
        rclpy.spin_once(node, timeout_sec=0.02)
        if time.monotonic() >= next_time:
            next_time += 0.05
            for publisher, message in publishers:
                publisher.publish(message)
    longest = wanted.get("longest_list", math.inf)
    report = {
        "messages": {topic: [plain(message, longest) for message in list(messages)] for topic, messages in received.items()},
        "topics": {topic: kinds for topic, kinds in node.get_topic_names_and_types()},
        "nodes": sorted(namespace + ("" if namespace == "/" else "/") + name for name, namespace in node.get_node_names_and_namespaces()),
    }
    print(json.dumps(report), flush=True)
    node.destroy_node()
    rclpy.shutdown()


main()
