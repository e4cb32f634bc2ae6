#!/usr/bin/env python3
"""Steers a rover in lockstep: the simulation waits after each odometry until the command with the same stamp arrives.

The simulation file names the actuator: "odometry": (kind: "odometry", outputs: { "ros": (lockstep: "motion") }), and the
type of its commands: "motion": (kind: "v_omega", inputs: { "ros": (type: "TwistStamped") }). An argument delays answers by
up to that many seconds at random; the run stays the same.
"""
import random
import sys
import time

import rclpy
from geometry_msgs.msg import TwistStamped
from nav_msgs.msg import Odometry

delay = float(sys.argv[1]) if len(sys.argv) > 1 else 0.0
rclpy.init()
node = rclpy.create_node("lockstep")
motion = node.create_publisher(TwistStamped, "/rover/motion", 10)


def answer(odometry):
    time.sleep(delay * random.random())
    command = TwistStamped()
    command.header.stamp = odometry.header.stamp
    command.twist.linear.x = 0.5
    command.twist.angular.z = 0.4 - 0.2 * odometry.pose.pose.position.y
    motion.publish(command)


node.create_subscription(Odometry, "/rover/odometry", answer, 10)
rclpy.spin(node)
