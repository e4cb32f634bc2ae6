"""A node that does what nodes should not do, and prints what happens as JSON, a line for each step: `commands`, `goals` or `resets`."""
import json
import math
import sys
import time

import rclpy
from builtin_interfaces.msg import Duration
from control_msgs.action import FollowJointTrajectory
from geometry_msgs.msg import PoseStamped, Twist
from nav2_msgs.action import NavigateToPose
from nav_msgs.msg import Odometry
from rclpy.action import ActionClient
from sensor_msgs.msg import JointState
from simulation_interfaces import srv
from simulation_interfaces.msg import EntityState, SimulationState
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

rclpy.init()
node = rclpy.create_node("hostile")
odometries, poses, states = [], [], []
node.create_subscription(Odometry, "/rover/odometry", odometries.append, 10)
node.create_subscription(PoseStamped, "/jumper/pose", poses.append, 10)
node.create_subscription(JointState, "/arm/joints", states.append, 10)


def say(step, **values):
    print(json.dumps({"step": step, **values}), flush=True)


def spin(seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        rclpy.spin_once(node, timeout_sec=0.02)


def wait(future, seconds=15):
    """Returns the result of a future, or None after a while."""
    rclpy.spin_until_future_complete(node, future, timeout_sec=seconds)
    return future.result() if future.done() else None


def publish(kind, topic, messages):
    publisher = node.create_publisher(kind, topic, 10)
    end = time.monotonic() + 10
    while publisher.get_subscription_count() == 0 and time.monotonic() < end:
        spin(0.05)
    spin(0.5)
    for message in messages:
        publisher.publish(message)
        spin(0.1)


def call(kind, service, **fields):
    client = node.create_client(getattr(srv, kind), service)
    if not client.wait_for_service(10):
        sys.exit(f"{service} does not exist")
    return wait(client.call_async(getattr(srv, kind).Request(**fields)))


def twist(x):
    message = Twist()
    message.linear.x = x
    return message


def pose(frame="", **position):
    message = PoseStamped()
    message.header.frame_id = frame
    for axis, number in position.items():
        setattr(message.pose.position, axis, number)
    return message


def trajectory(positions, seconds=1.0, names=("kuka_2",)):
    point = JointTrajectoryPoint(positions=positions, time_from_start=Duration(sec=int(seconds), nanosec=int(seconds % 1 * 1e9)))
    return JointTrajectory(joint_names=list(names), points=[point])


def goal(one):
    return FollowJointTrajectory.Goal(trajectory=one)


def client(kind, name):
    action = ActionClient(node, kind, name)
    if not action.wait_for_server(15):
        sys.exit(f"{name} does not exist")
    return action


def state(wanted):
    return call("SetSimulationState", "/set_simulation_state", state=SimulationState(state=wanted)).result.result


def present():
    return call("GetSimulationState", "/get_simulation_state").state.state


def commands():
    publish(Twist, "/rover/motion", [twist(0.25)])
    publish(Twist, "/rover/motion", [twist(math.nan), twist(math.inf), twist(1e300)])
    spin(0.3)
    say("twist", speed=odometries[-1].twist.twist.linear.x)
    publish(PoseStamped, "/jumper/motion", [pose(x=1.0, y=12.0), pose(x=math.nan), pose("jumper/base_link", x=5.0)])
    spin(0.3)
    say("pose", x=poses[-1].pose.position.x)
    moving = EntityState()
    moving.twist.linear.x = math.nan
    answer = call("SetEntityState", "/set_entity_state", entity="rover", state=moving).result
    say("state", code=answer.result, why=answer.error_message)


def goals():
    action = client(FollowJointTrajectory, "/arm/armature/follow_joint_trajectory")
    past, later, numbers = trajectory([0.3]), trajectory([0.3]), trajectory([math.nan])
    spin(3.0)
    past.header.stamp.sec = 1
    later.header.stamp.sec = int(time.time())
    outside = trajectory([99.0])
    refused = {}
    for name, one in (("past", past), ("later", later), ("numbers", numbers), ("outside", outside)):
        refused[name] = wait(action.send_goal_async(goal(one))).accepted
    say("refused", **refused)
    # A robot that is added does not disturb the goals of others.
    handle = wait(action.send_goal_async(goal(trajectory([0.4], 3.0))))
    driving = client(NavigateToPose, "/driver/goal/navigate_to_pose")
    wanted = NavigateToPose.Goal(pose=pose("map", x=3.0, y=-8.0))
    other = wait(driving.send_goal_async(wanted))
    spin(1.0)
    added = call("SpawnEntity", "/spawn_entity", name="extra", uri="robots/atrv.robray", initial_pose=pose(x=20.0)).result.result
    status, arrived = [wait(one.get_result_async(), 30).status for one in (handle, other)]
    spin(0.2)
    say("added", result=added, status=status, arrived=arrived, position=dict(zip(states[-1].name, states[-1].position))["kuka_2"])


def resets():
    action = client(FollowJointTrajectory, "/arm/armature/follow_joint_trajectory")
    handle = wait(action.send_goal_async(goal(trajectory([0.4], 30.0))))
    spin(0.5)
    result = handle.get_result_async()
    spin(0.5)
    code = call("ResetSimulation", "/reset_simulation", scope=0).result.result
    ended = wait(result)
    after = wait(action.send_goal_async(goal(trajectory([0.2], 0.5))))
    again = wait(after.get_result_async())
    say("reset", code=code, status=ended and ended.status, why=ended and ended.result.error_string,
        accepted=after.accepted, again=again and again.status)
    stopped = [state(SimulationState.STATE_STOPPED), present(), state(SimulationState.STATE_STOPPED)]
    stepped = [call("StepSimulation", "/step_simulation", steps=3).result.result, present()]
    say("stopped", stopped=stopped, stepped=stepped, played=[state(SimulationState.STATE_PLAYING), present()])
    # Goals and their cancellation while the time stands still.
    handle = wait(action.send_goal_async(goal(trajectory([0.4], 5.0))))
    spin(0.3)
    state(SimulationState.STATE_PAUSED)
    code = wait(handle.cancel_goal_async()).return_code
    result = handle.get_result_async()
    held = wait(result, 1.0)
    state(SimulationState.STATE_PLAYING)
    ended = wait(result)
    say("paused", code=code, held=held is None, status=ended and ended.status)


{"commands": commands, "goals": goals, "resets": resets}[sys.argv[1]]()
rclpy.shutdown()
