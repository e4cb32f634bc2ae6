#!/usr/bin/env python3
"""Drives a rover around boxes to a goal in the frame of its odometry: of all free directions it takes the best one.

pip install "ros-jazzy-rclpy[fastrtps]" ros-jazzy-sensor-msgs ros-jazzy-nav-msgs (Python 3.11); morse-sim, built with the
feature ros2, with a middleware of kind "ros2"; then: ros2_navigate.py X Y
"""
import math
import sys

import rclpy
from geometry_msgs.msg import Twist
from nav_msgs.msg import Odometry
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.qos import qos_profile_sensor_data
from sensor_msgs.msg import LaserScan

RADIUS = 0.8  # of the rover, with a margin, m
FAST, TURNING = 1.0, 1.0  # greatest speeds, m/s and rad/s
THERE = 0.3  # distance from the goal at which it is reached, m
LONGEST = 90.0  # time to reach it, s


class Navigator(Node):
    def __init__(self, goal):
        super().__init__("navigator", parameter_overrides=[Parameter("use_sim_time", value=True)])
        self.goal = goal
        self.pose = None
        self.nearest = math.inf
        self.start = None
        self.heading = 0.0
        self.outcome = None
        self.motion = self.create_publisher(Twist, "/rover/motion", 10)
        self.create_subscription(Odometry, "/rover/odometry", self.moved, 10)
        self.create_subscription(LaserScan, "/rover/scan", self.seen, qos_profile_sensor_data)

    def moved(self, odometry):
        position, q = odometry.pose.pose.position, odometry.pose.pose.orientation
        yaw = math.atan2(2 * (q.w * q.z + q.x * q.y), 1 - 2 * (q.y * q.y + q.z * q.z))
        self.pose = (position.x, position.y, yaw)

    def seen(self, scan):
        command = Twist()
        if self.pose is not None and self.outcome is None:
            self.steer(scan, command)
        self.motion.publish(command)

    def steer(self, scan, command):
        seconds = self.get_clock().now().nanoseconds * 1e-9
        self.start = seconds if self.start is None else self.start
        x, y, yaw = self.pose
        far = math.hypot(self.goal[0] - x, self.goal[1] - y)
        self.nearest = min(self.nearest, min(scan.ranges))
        if far < THERE or seconds - self.start > LONGEST:
            self.outcome = {"distance": far, "seconds": seconds - self.start, "nearest": self.nearest}
            return
        bearing = math.atan2(self.goal[1] - y, self.goal[0] - x) - yaw
        bearing = math.atan2(math.sin(bearing), math.cos(bearing))
        steps = range(-30, 31)
        free = {math.radians(3 * step): self.clear(scan, math.radians(3 * step), far) for step in steps}
        headings = [heading for heading, clear in free.items() if clear >= min(far, 3.0)]
        # Staying near the last heading keeps it from changing sides in front of an obstacle.
        cost = lambda heading: abs(heading - bearing) + 0.3 * abs(heading - self.heading)
        self.heading = min(headings, key=cost) if headings else max(free, key=free.get)
        command.angular.z = max(-TURNING, min(TURNING, 2.0 * self.heading))
        slow = max(0.0, math.cos(self.heading)) if abs(self.heading) < 1.2 else 0.0
        command.linear.x = min(FAST, far, free[self.heading] / 2) * slow

    def clear(self, scan, heading, most):
        """Returns the way that is free in a direction, for a disc of the rover's radius."""
        least = most
        for number, distance in enumerate(scan.ranges):
            angle = scan.angle_min + number * scan.angle_increment - heading
            if math.isfinite(distance) and math.cos(angle) > 0:
                aside = abs(distance * math.sin(angle))
                if aside < RADIUS:
                    least = min(least, distance * math.cos(angle) - math.sqrt(RADIUS**2 - aside**2))
        return max(0.0, least)


def main():
    rclpy.init()
    node = Navigator((float(sys.argv[1]), float(sys.argv[2])))
    while node.outcome is None:
        rclpy.spin_once(node)
    # The rover stops before the node ends.
    for _ in range(5):
        rclpy.spin_once(node, timeout_sec=0.2)
    print("{distance:.3f} m from the goal after {seconds:.1f} s, {nearest:.2f} m from the nearest box".format(**node.outcome))
    rclpy.shutdown()


main()
