#!/usr/bin/env python3
"""Drives a rover towards what is ahead of it, and stops four metres before it.

pip install roslibpy; morse-sim with a middleware of kind "rosbridge"; then: rosbridge_drive.py [PORT]
"""
import json
import sys
import threading

import roslibpy

port = int(sys.argv[1]) if len(sys.argv) > 1 else 9090
ros = roslibpy.Ros("127.0.0.1", port)
ros.run()

motion = roslibpy.Topic(ros, "/rover/motion", "geometry_msgs/Twist")
scan = roslibpy.Topic(ros, "/rover/scan", "sensor_msgs/LaserScan")
odometry = roslibpy.Topic(ros, "/rover/odometry", "nav_msgs/Odometry")
there = threading.Event()
state = {"x": 0.0, "nearest": None}


def seen(message):
    """A range that is not met is null: JSON has no infinity."""
    ranges = message["ranges"]
    middle = len(ranges) // 2
    ahead = [r for r in ranges[middle - 2 : middle + 3] if r is not None]
    state["nearest"] = min(ahead) if ahead else None
    left = (state["nearest"] or 8.0) - 4.0
    speed = max(0.0, min(1.0, left))
    if left < 0.02:
        speed = 0.0
        there.set()
    motion.publish(roslibpy.Message({"linear": {"x": speed}, "angular": {"z": 0.0}}))


odometry.subscribe(lambda message: state.update(x=message["pose"]["pose"]["position"]["x"]))
scan.subscribe(seen)
there.wait(60)
scan.unsubscribe()

stop = roslibpy.Service(ros, "/rover/motion/stop", "std_srvs/Trigger")
stop.call(roslibpy.ServiceRequest())
state["stopped"] = there.is_set()
print(json.dumps(state))
ros.terminate()
