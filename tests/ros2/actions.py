"""Nodes that send goals to actions, and print what happens as JSON, a line for each step: `arm`, `motors`, `rover` or `gripper`."""
import json
import sys
import time

import rclpy
from action_msgs.msg import GoalStatus
from builtin_interfaces.msg import Duration
from control_msgs.action import FollowJointTrajectory, GripperCommand
from control_msgs.msg import JointTolerance
from nav2_msgs.action import NavigateToPose
from rclpy.action import ActionClient
from sensor_msgs.msg import JointState
from std_srvs.srv import Trigger
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

STATUSES = {getattr(GoalStatus, "STATUS_" + name): name for name in ("UNKNOWN", "SUCCEEDED", "CANCELED", "ABORTED")}


class Caller:
    def __init__(self, kind, name):
        self.node = rclpy.create_node("caller")
        self.client = ActionClient(self.node, kind, name)
        self.feedback = []
        if not self.client.wait_for_server(15):
            sys.exit(f"{name} does not exist")

    def wait(self, future):
        rclpy.spin_until_future_complete(self.node, future, timeout_sec=20)
        if not future.done():
            sys.exit("no answer")
        return future.result()

    def spin(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            rclpy.spin_once(self.node, timeout_sec=0.02)

    def send(self, goal):
        self.feedback = []
        return self.wait(self.client.send_goal_async(goal, feedback_callback=lambda one: self.feedback.append(one.feedback)))

    def result(self, handle):
        answer = self.wait(handle.get_result_async())
        return STATUSES[answer.status], answer.result


def say(step, **values):
    print(json.dumps({"step": step, **values}), flush=True)


def trajectory(names, positions, seconds):
    time_from_start = Duration(sec=int(seconds), nanosec=int(seconds % 1 * 1e9))
    return JointTrajectory(joint_names=names, points=[JointTrajectoryPoint(positions=positions, time_from_start=time_from_start)])


def arm():
    caller = Caller(FollowJointTrajectory, "/arm/armature/follow_joint_trajectory")
    states = []
    caller.node.create_subscription(JointState, "/arm/joints", states.append, 10)
    # The names are in another order than the joints, and only two.
    names = ["kuka_4", "kuka_2"]
    position = lambda: [round(dict(zip(states[-1].name, states[-1].position))[name], 3) for name in names]
    goal = FollowJointTrajectory.Goal(trajectory=trajectory(names, [0.4, -0.3], 1.0))
    handle = caller.send(goal)
    status, result = caller.result(handle)
    caller.spin(0.3)
    errors = [max(map(abs, one.error.positions)) for one in caller.feedback]
    say("followed", accepted=handle.accepted, status=status, code=result.error_code, position=position(),
        feedback=len(caller.feedback), names=caller.feedback[-1].joint_names, error=max(errors))
    say("refused", accepted=caller.send(FollowJointTrajectory.Goal(trajectory=trajectory(["knee"], [0.0], 1.0))).accepted)
    handle = caller.send(FollowJointTrajectory.Goal(trajectory=trajectory(names, [0.0, 0.0], 10.0)))
    caller.spin(1.0)
    code = caller.wait(handle.cancel_goal_async()).return_code
    status, _ = caller.result(handle)
    caller.spin(0.3)
    say("cancelled", code=code, status=status, position=position())
    first = caller.send(FollowJointTrajectory.Goal(trajectory=trajectory(names, [0.0, 0.0], 10.0)))
    second = caller.send(FollowJointTrajectory.Goal(trajectory=trajectory(names, [0.1, 0.1], 0.5)))
    say("replaced", first=caller.result(first)[0], second=caller.result(second)[0])
    code = caller.wait(second.cancel_goal_async()).return_code
    # 1.2 rad in 0.1 s are more than the motors can; and no joint is exactly at its goal.
    hasty = FollowJointTrajectory.Goal(trajectory=trajectory(["kuka_1"], [1.2], 0.1), path_tolerance=[JointTolerance(name="kuka_1", position=0.05)])
    status, result = caller.result(caller.send(hasty))
    exact = FollowJointTrajectory.Goal(trajectory=trajectory(["kuka_1"], [0.5], 0.5), goal_tolerance=[JointTolerance(name="kuka_1", position=1e-15)])
    exact.goal_time_tolerance.nanosec = 200000000
    late_status, late = caller.result(caller.send(exact))
    say("tolerances", path=[status, result.error_code, result.error_string], goal=[late_status, late.error_code, late.error_string])
    topic = caller.node.create_publisher(JointTrajectory, "/arm/armature/joint_trajectory", 10)
    end = time.monotonic() + 10
    while topic.get_subscription_count() == 0 and time.monotonic() < end:
        caller.spin(0.05)
    topic.publish(trajectory(names, [0.5, -0.5], 0.5))
    end = time.monotonic() + 10
    while position() != [0.5, -0.5] and time.monotonic() < end:
        caller.spin(0.05)
    say("published", late_cancel=code, position=position())


def motors():
    caller = Caller(FollowJointTrajectory, "/crane/motors/follow_joint_trajectory")
    states = []
    caller.node.create_subscription(JointState, "/crane/joints", states.append, 10)
    position = lambda: round(dict(zip(states[-1].name, states[-1].position))["kuka_2"], 2)
    status, result = caller.result(caller.send(FollowJointTrajectory.Goal(trajectory=trajectory(["kuka_2"], [0.4], 1.0))))
    caller.spin(1.0)
    say("followed", status=status, code=result.error_code, position=position(), names=caller.feedback[-1].joint_names)
    topic = caller.node.create_publisher(JointTrajectory, "/crane/motors/joint_trajectory", 10)
    end = time.monotonic() + 10
    while topic.get_subscription_count() == 0 and time.monotonic() < end:
        caller.spin(0.05)
    topic.publish(trajectory(["kuka_2"], [-0.3], 0.5))
    end = time.monotonic() + 10
    while position() != -0.3 and time.monotonic() < end:
        caller.spin(0.05)
    say("published", position=position())


def rover():
    caller = Caller(NavigateToPose, "/rover/goal/navigate_to_pose")
    goal = NavigateToPose.Goal()
    goal.pose.header.frame_id = "rover/scan"
    say("refused", accepted=caller.send(goal).accepted)
    goal.pose.header.frame_id = "map"
    goal.pose.pose.position.x = 3.0
    handle = caller.send(goal)
    status, result = caller.result(handle)
    first, last = caller.feedback[0], caller.feedback[-1]
    say("arrived", accepted=handle.accepted, status=status, code=result.error_code, feedback=len(caller.feedback),
        first=first.distance_remaining, last=last.distance_remaining, x=last.current_pose.pose.position.x,
        time=last.navigation_time.sec + 1e-9 * last.navigation_time.nanosec)
    goal.pose.pose.position.x = 100.0
    handle = caller.send(goal)
    caller.spin(0.5)
    caller.wait(handle.cancel_goal_async())
    say("cancelled", status=caller.result(handle)[0])
    reset = caller.node.create_client(Trigger, "/simulation/reset")
    if not reset.wait_for_service(15):
        sys.exit("/simulation/reset does not exist")
    handle = caller.send(goal)
    caller.spin(0.5)
    caller.wait(reset.call_async(Trigger.Request()))
    status, result = caller.result(handle)
    # Results of Jazzy have no text.
    say("aborted", status=status, code=result.error_code, why=getattr(result, "error_msg", None))


def gripper():
    caller = Caller(GripperCommand, "/arm/hand/gripper_cmd")
    goal = GripperCommand.Goal()
    goal.command.max_effort = 5.0
    for step, position in (("closed", 0.0), ("opened", 0.05)):
        goal.command.position = position
        handle = caller.send(goal)
        status, result = caller.result(handle)
        say(step, status=status, stalled=result.stalled, reached=result.reached_goal, effort=result.effort)
    goal.command.position = -1.0
    say("refused", accepted=caller.send(goal).accepted)


rclpy.init()
{"arm": arm, "motors": motors, "rover": rover, "gripper": gripper}[sys.argv[1]]()
rclpy.shutdown()
