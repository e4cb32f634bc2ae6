"""Drives robots through the public classes of roslibpy, and prints what happens as JSON, a line for each step.

Usage: roslibpy_client.py PORT
"""
import json
import sys
import threading

import roslibpy
import roslibpy.tf
from roslibpy.ros1 import actionlib

PORT = int(sys.argv[1])
ros, other = roslibpy.Ros("127.0.0.1", PORT), roslibpy.Ros("127.0.0.1", PORT)
ros.run()
other.run()


def say(step, **values):
    print(json.dumps({"step": step, **values}), flush=True)


class Waiting:
    """The first value that satisfies a predicate."""

    def __init__(self, is_it=lambda value: True):
        self.event, self.value, self.is_it = threading.Event(), None, is_it

    def __call__(self, value):
        if not self.event.is_set() and self.is_it(value):
            self.value = value
            self.event.set()

    def wait(self):
        if not self.event.wait(20):
            sys.exit("no answer")
        return self.value


def message(name, kind, is_it=lambda value: True):
    topic, waiting = roslibpy.Topic(ros, name, kind), Waiting(is_it)
    topic.subscribe(waiting)
    value = waiting.wait()
    topic.unsubscribe()
    return value


def call(name, request=None):
    return roslibpy.Service(ros, name, "morse_sim/Json").call(roslibpy.ServiceRequest(request or {}), timeout=20)


def failure(function, *arguments):
    try:
        return ["no failure", function(*arguments)]
    except Exception as error:  # The client raises errors of several kinds.
        return str(error)


def topics():
    motion = roslibpy.Topic(ros, "/rover/motion", "geometry_msgs/Twist")
    motion.publish(roslibpy.Message({"linear": {"x": 0.5}}))
    odometry = message("/rover/odometry", "nav_msgs/Odometry", lambda one: one["pose"]["pose"]["position"]["x"] > 0.3)
    motion.publish(roslibpy.Message({"linear": {"x": 0.0}}))
    time = ros.get_time()
    say("topics", speed=odometry["twist"]["twist"]["linear"]["x"], time=time["secs"] + 1e-9 * time["nsecs"], kind=ros.get_topic_type("/rover/scan"))


def services():
    server = roslibpy.Service(other, "/add", "example_interfaces/AddTwoInts")

    def add(request, response):
        response["sum"] = request["a"] + request["b"]
        return True

    server.advertise(add)
    kind = other.get_service_type("/add")
    total = call("/add", {"a": 40, "b": 2})
    names = ros.get_services()
    server.unadvertise()
    other.get_service_type("/add")
    say("services", kind=kind, sum=total["sum"], names=names, stopped=dict(call("/rover/motion/stop")), withdrawn=failure(call, "/add", {"a": 1}),
        of_kind=ros.get_services_for_type("rosapi_msgs/srv/GetParam"), details=ros.get_service_request_details("morse_sim/Json")["typedefs"][0]["type"])


def parameters():
    ros.set_param("/goal", {"x": [1, 2]})
    value, names = ros.get_param("goal"), ros.get_params()
    ros.delete_param("/goal")
    say("parameters", value=value, names=names, gone=ros.get_param("/goal"), clock=ros.get_param("use_sim_time"))


def frames():
    client, waiting = roslibpy.tf.TFClient(ros, "/rover/base_link", 0.001, 0.001, 20.0), Waiting()
    client.subscribe("/rover/scan", waiting)
    mount = waiting.wait()
    client.dispose()
    say("frames", mount=mount["translation"])


def trajectory(names, positions, seconds):
    time = {"sec": int(seconds), "nanosec": int(seconds % 1 * 1e9)}
    return {"trajectory": {"joint_names": names, "points": [{"positions": positions, "time_from_start": time}]}}


NAME = "/arm/armature/follow_joint_trajectory"


def topic_actions():
    client = actionlib.ActionClient(ros, NAME, "control_msgs/FollowJointTrajectoryAction")
    goal = actionlib.Goal(client, roslibpy.Message(trajectory(["kuka_2"], [0.3], 1.0)))
    goal.send()
    result = goal.wait(20)
    state = message("/arm/joints", "sensor_msgs/JointState")
    # Requests of the client are answered in order: the status has arrived.
    ros.get_time()
    say("topic_actions", result=dict(result), feedback=goal.feedback["joint_names"], position=state["position"][state["name"].index("kuka_2")])


def actions():
    client = roslibpy.ActionClient(ros, NAME, "control_msgs/action/FollowJointTrajectory")

    def carry_out(goal, cancel=False):
        done, began, count = Waiting(), threading.Event(), []

        def feedback(one):
            count.append(one)
            began.set()

        goal_id = client.send_goal(roslibpy.Goal(goal), lambda result: done(["result", result]), feedback, lambda error: done(["error", error]))
        if cancel:
            began.wait(20)
            client.cancel_goal(goal_id)
        kind, result = done.wait()
        return [kind, result["status"].name, result["values"], len(count)]

    say("actions", followed=carry_out(trajectory(["kuka_2"], [0.0], 1.0)), cancelled=carry_out(trajectory(["kuka_2"], [1.0], 10.0), True),
        refused=carry_out(trajectory(["knee"], [1.0], 1.0)))


for step in (topics, services, parameters, frames, topic_actions, actions):
    step()
ros.close()
other.close()
ros.terminate()
