"""A node that sends many, large and impossible requests to simulation_interfaces, and prints the responses as JSON, a line for each
step: `requests`, or `states` alone."""
import json
import math
import sys

import rclpy
from geometry_msgs.msg import PoseStamped, Vector3
from rclpy.qos import QoSProfile
from simulation_interfaces import srv
from simulation_interfaces.msg import Bounds, EntityFilters, SimulationState

rclpy.init()
node = rclpy.create_node("demanding")
clients = {}


def say(step, **values):
    print(json.dumps({"step": step, **values}), flush=True)


def send(kind, **fields):
    """Sends a request, and returns the future of its response."""
    if kind not in clients:
        name = "".join("_" + letter.lower() if letter.isupper() else letter for letter in kind).strip("_")
        # A client keeps ten responses by default, and loses others where it has to wait for a processor.
        clients[kind] = node.create_client(getattr(srv, kind), "/" + name, qos_profile=QoSProfile(depth=100))
        if not clients[kind].wait_for_service(15):
            sys.exit(f"/{name} does not exist")
    return clients[kind].call_async(getattr(srv, kind).Request(**fields))


def wait(future):
    rclpy.spin_until_future_complete(node, future, timeout_sec=15)
    return future.result() if future.done() else None


def call(kind, **fields):
    return wait(send(kind, **fields)) or sys.exit(f"{kind} does not answer")


def code(kind, **fields):
    result = call(kind, **fields).result
    return [result.result, result.error_message]


def at(x):
    pose = PoseStamped()
    pose.pose.position.x = x
    return pose


def states():
    answer = call("GetEntitiesStates", filters=EntityFilters(filter="^rover_"))
    say("states", code=answer.result.result, why=answer.result.error_message, count=len(answer.states), entities=len(answer.entities))


def requests():
    states()
    # The node answers after a response that it could not send.
    say("names", count=len(call("GetEntities", filters=EntityFilters(filter="^rover_")).entities))
    call("SetSimulationState", state=SimulationState(state=SimulationState.STATE_PAUSED))
    steps = [send("StepSimulation", steps=1) for _ in range(40)]
    say("steps", answered=sum(wait(one) is not None for one in steps))
    sphere = "<geometry><sphere radius='-1'/></geometry>"
    link = "<link name='l'>" + f"<collision>{sphere}</collision>" * 60 + "</link>"
    mesh = "<geometry><mesh filename='package://nothing/x.stl'/></geometry>"
    ball = "<robot name='ball'><link name='ball'><collision><geometry><sphere radius='0.2'/></geometry></collision></link></robot>"
    say("spawn",
        errors=code("SpawnEntity", name="odd", resource_string=f"<robot name='x'>{link}</robot>"),
        taken=code("SpawnEntity", name="RedBox", resource_string=ball),
        renamed=call("SpawnEntity", name="RedBox", allow_renaming=True, resource_string=ball, initial_pose=at(90.0)).entity_name,
        missing=code("SpawnEntity", name="odd", uri="file:///nothing/there.urdf"),
        outside=code("SpawnEntity", name="odd", uri="/etc/hostname"),
        mesh=code("SpawnEntity", name="odd", resource_string=f"<robot name='x'><link name='l'><collision>{mesh}</collision></link></robot>"),
        far=code("SpawnEntity", name="odd", resource_string=ball, initial_pose=at(1e9)),
        repeat=code("SpawnEntity", name="odd", resource_string='(model: "robots/atrv.robray", repeat: (count: 3, pattern: grid(columns: 3, spacing: (3, 3))))'))
    box = Bounds(type=Bounds.TYPE_BOX, points=[Vector3(x=math.nan), Vector3()])
    say("box", code=code("GetEntities", filters=EntityFilters(bounds=box)))
    named = call("SpawnEntity", name="scout__2", uri="robots/atrv.robray", initial_pose=at(99.0)).result.result
    for _ in range(100):
        rclpy.spin_once(node, timeout_sec=0.02)
    say("name", code=named, topics=[name for name, _ in node.get_topic_names_and_types() if "scout" in name])


{"requests": requests, "states": states}[sys.argv[1]]()
rclpy.shutdown()
