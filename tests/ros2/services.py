"""A node that calls services of the type Trigger, in the order of its arguments, and prints the responses as JSON.

Each line has the service, the response, and the simulated times before the call and half a second after it.
"""
import json
import sys
import time

import rclpy
from rclpy.qos import qos_profile_sensor_data
from rosgraph_msgs.msg import Clock
from std_srvs.srv import Trigger


def main():
    rclpy.init()
    node = rclpy.create_node("caller")
    times = []
    read = lambda message: times.append(message.clock.sec + 1e-9 * message.clock.nanosec)
    node.create_subscription(Clock, "/clock", read, qos_profile_sensor_data)

    def spin(seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            rclpy.spin_once(node, timeout_sec=0.02)

    spin(3)
    for name in sys.argv[1:]:
        client = node.create_client(Trigger, name)
        if not client.wait_for_service(10):
            sys.exit(f"{name} does not exist")
        spin(0.5)
        before = times[-1]
        future = client.call_async(Trigger.Request())
        rclpy.spin_until_future_complete(node, future, timeout_sec=10)
        response = future.result()
        if response is None:
            sys.exit(f"{name} does not answer")
        spin(0.5)
        answer = {"service": name, "success": response.success, "message": response.message}
        print(json.dumps({**answer, "before": before, "after": times[-1]}), flush=True)
    rclpy.shutdown()


main()
