"""A node that controls a simulation by the services of simulation_interfaces, and prints what happens as JSON, a line for each step."""
import json
import sys
import time

import rclpy
from geometry_msgs.msg import PoseStamped
from rclpy.qos import qos_profile_sensor_data
from rosgraph_msgs.msg import Clock
from simulation_interfaces import srv
from simulation_interfaces.msg import EntityCategory, EntityFilters, EntityState, SimulationState

rclpy.init()
node = rclpy.create_node("director")
times = []
node.create_subscription(Clock, "/clock", lambda one: times.append(one.clock.sec + 1e-9 * one.clock.nanosec), qos_profile_sensor_data)

NAMES = {
    "GetSimulatorFeatures": "/get_simulator_features", "GetSimulationState": "/get_simulation_state",
    "SetSimulationState": "/set_simulation_state", "ResetSimulation": "/reset_simulation", "StepSimulation": "/step_simulation",
    "SpawnEntity": "/spawn_entity", "DeleteEntity": "/delete_entity", "GetEntityState": "/get_entity_state",
    "SetEntityState": "/set_entity_state", "GetEntities": "/get_entities", "GetEntityInfo": "/get_entity_info",
}
clients = {kind: node.create_client(getattr(srv, kind), name) for kind, name in NAMES.items()}
for kind, client in clients.items():
    if not client.wait_for_service(15):
        sys.exit(f"{NAMES[kind]} does not exist")


def spin(seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        rclpy.spin_once(node, timeout_sec=0.02)


def call(kind, **fields):
    future = clients[kind].call_async(getattr(srv, kind).Request(**fields))
    rclpy.spin_until_future_complete(node, future, timeout_sec=15)
    if not future.done():
        sys.exit(f"{kind} does not answer")
    return future.result()


def code(kind, **fields):
    result = call(kind, **fields).result
    return [result.result, result.error_message]


def say(step, **values):
    print(json.dumps({"step": step, **values}), flush=True)


def pose(x, y, z):
    stamped = PoseStamped()
    stamped.header.frame_id = "map"
    stamped.pose.position.x, stamped.pose.position.y, stamped.pose.position.z = x, y, z
    return stamped


def position(name):
    answer = call("GetEntityState", entity=name)
    at = answer.state.pose.position
    return [answer.result.result, at.x, at.y, at.z, answer.state.twist.linear.z]


def state():
    return call("GetSimulationState").state.state


URDF = """<robot name="ball"><link name="ball"><inertial><mass value="1"/>
<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>
<visual><geometry><sphere radius="0.2"/></geometry></visual><collision><geometry><sphere radius="0.2"/></geometry></collision>
</link></robot>"""

features = call("GetSimulatorFeatures").features
say("features", features=list(features.features), formats=list(features.spawn_formats), info=features.custom_info)
spin(1.0)
pause = code("SetSimulationState", state=SimulationState(state=SimulationState.STATE_PAUSED))
spin(0.5)
before = times[-1]
again = code("SetSimulationState", state=SimulationState(state=SimulationState.STATE_PAUSED))
held = state()
steps = code("StepSimulation", steps=60)
spin(0.5)
say("paused", pause=pause[0], again=again[0], held=held, steps=steps, stepped=times[-1] - before)
spawned = call("SpawnEntity", name="ball", resource_string=URDF, initial_pose=pose(2.0, 1.0, 5.0))
say("spawned", result=spawned.result.result, error=spawned.result.error_message, name=spawned.entity_name, position=position("ball"), state=state())
twice = code("SpawnEntity", name="ball", resource_string=URDF)
renamed = call("SpawnEntity", name="ball", allow_renaming=True, resource_string=URDF, initial_pose=pose(-2.0, 0.0, 5.0))
wrong = code("SpawnEntity", name="odd", resource_string="<robot name='x'><link/></robot>")
say("more", twice=twice[0], renamed=renamed.entity_name, wrong=wrong, nothing=code("SpawnEntity", name="odd")[0],
    name=code("SpawnEntity", name="a.b", resource_string=URDF)[0], web=code("SpawnEntity", name="odd", uri="https://x/y")[0],
    format=code("SpawnEntity", name="odd", resource_string="<html/>")[0],
    file=call("SpawnEntity", name="car", uri="robots/atrv.robray", initial_pose=pose(9.0, 9.0, 0.0)).result.result)
every = EntityFilters()
robots = EntityFilters(categories=[EntityCategory(category=EntityCategory.CATEGORY_ROBOT)])
some = EntityFilters(filter="^ball.*1$")
lists = {name: list(call("GetEntities", filters=filters).entities) for name, filters in
         (("every", every), ("robots", robots), ("some", some))}
say("entities", invalid=code("GetEntities", filters=EntityFilters(filter="("))[0], **lists,
    info=call("GetEntityInfo", entity="ball").info.category.category, box=call("GetEntityInfo", entity="RedBox").info.category.category,
    nobody=code("GetEntityInfo", entity="nobody")[0])
play = code("SetSimulationState", state=SimulationState(state=SimulationState.STATE_PLAYING))
moved = EntityState()
moved.pose = pose(0.0, -3.0, 8.0).pose
falling = EntityState()
falling.twist.linear.z = -1.0
say("moved", set=code("SetEntityState", entity="ball", state=moved), position=position("ball"),
    falling=code("SetEntityState", entity="ball", state=falling)[0], nobody=code("SetEntityState", entity="nobody", state=moved)[0],
    unknown=position("nobody")[0])
spin(0.5)
fallen = position("ball")
running = code("StepSimulation", steps=1)
say("played", play=play[0], state=state(), fallen=fallen, running=running[0])
say("deleted", result=code("DeleteEntity", entity="ball")[0], again=code("DeleteEntity", entity="ball")[0],
    left=list(call("GetEntities", filters=robots).entities))
before = times[-1]
reset = code("ResetSimulation", scope=srv.ResetSimulation.Request.SCOPE_DEFAULT)
del times[:]
spin(0.5)
say("reset", result=reset, before=before, after=times[-1], time_alone=code("ResetSimulation", scope=1)[0], left=list(call("GetEntities", filters=robots).entities))
clients["SetSimulationState"].call_async(srv.SetSimulationState.Request(state=SimulationState(state=SimulationState.STATE_QUITTING)))
spin(0.3)
rclpy.shutdown()
