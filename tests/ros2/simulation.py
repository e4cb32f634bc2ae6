"""A node that controls a simulation by the services of simulation_interfaces, and prints what happens as JSON, a line for each step."""
import json
import sys
import time

import rclpy
from rclpy.qos import qos_profile_sensor_data
from rosgraph_msgs.msg import Clock
from simulation_interfaces import srv
from geometry_msgs.msg import PoseStamped, Twist, Vector3
from nav_msgs.msg import Odometry
from rclpy.action import ActionClient
from simulation_interfaces.action import SimulateSteps
from simulation_interfaces.msg import Bounds, EntityCategory, EntityFilters, EntityState, Resource, SimulationState

rclpy.init()
node = rclpy.create_node("director")
times = []
node.create_subscription(Clock, "/clock", lambda one: times.append(one.clock.sec + 1e-9 * one.clock.nanosec), qos_profile_sensor_data)

NAMES = {
    "GetSimulatorFeatures": "/get_simulator_features", "GetSimulationState": "/get_simulation_state",
    "SetSimulationState": "/set_simulation_state", "ResetSimulation": "/reset_simulation", "StepSimulation": "/step_simulation",
    "SpawnEntity": "/spawn_entity", "DeleteEntity": "/delete_entity", "GetEntityState": "/get_entity_state",
    "SetEntityState": "/set_entity_state", "GetEntitiesStates": "/get_entities_states", "GetEntityBounds": "/get_entity_bounds", "GetEntities": "/get_entities", "GetEntityInfo": "/get_entity_info",
    "GetCurrentWorld": "/get_current_world", "LoadWorld": "/load_world", "UnloadWorld": "/unload_world",
    "GetAvailableWorlds": "/get_available_worlds",
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
current = call("GetCurrentWorld")
say("worlds", current=[current.result.result, current.world.name, current.world.world_resource.uri],
    load=code("LoadWorld", world_resource=Resource(uri="boxes.robray"), fail_on_unsupported_element=True), unload=code("UnloadWorld"),
    available=code("GetAvailableWorlds", additional_sources=["/worlds"], continue_on_error=True), same=call("GetCurrentWorld").world == current.world)
spin(1.0)
pause = code("SetSimulationState", state=SimulationState(state=SimulationState.STATE_PAUSED))
spin(0.5)
before = times[-1]
again = code("SetSimulationState", state=SimulationState(state=SimulationState.STATE_PAUSED))
held = state()
steps = code("StepSimulation", steps=60)
spin(0.5)
say("paused", pause=pause[0], again=again[0], held=held, steps=steps, stepped=times[-1] - before)
stepping = ActionClient(node, SimulateSteps, "/simulate_steps")
if not stepping.wait_for_server(15):
    sys.exit("/simulate_steps does not exist")


def wait(future):
    rclpy.spin_until_future_complete(node, future, timeout_sec=15)
    return future.result() if future.done() else sys.exit("no answer")


def simulate(steps, cancel=False):
    """Returns whether a goal is accepted, its status and result code, and the last feedback."""
    feedback = []
    handle = wait(stepping.send_goal_async(SimulateSteps.Goal(steps=steps), feedback_callback=lambda one: feedback.append(one.feedback)))
    if not handle.accepted:
        return [False]
    if cancel:
        spin(1.0)
        wait(handle.cancel_goal_async())
    answer = wait(handle.get_result_async())
    last = [feedback[-1].completed_steps, feedback[-1].remaining_steps] if feedback else []
    return [True, answer.status, answer.result.result.result, last]


before = times[-1]
simulated = simulate(30)
spin(0.5)
taken = times[-1] - before
cancelled = simulate(10**12, True)
spin(0.5)
still = times[-1]
spin(0.5)
say("stepped", simulated=simulated, taken=taken, cancelled=cancelled, stands=times[-1] == still)
spawned = call("SpawnEntity", name="ball", resource_string=URDF, initial_pose=pose(2.0, 1.0, 5.0))
say("spawned", result=spawned.result.result, error=spawned.result.error_message, name=spawned.entity_name, position=position("ball"), state=state())
twice = code("SpawnEntity", name="ball", resource_string=URDF)
renamed = call("SpawnEntity", name="ball", allow_renaming=True, resource_string=URDF, initial_pose=pose(-2.0, 0.0, 5.0))
wrong = code("SpawnEntity", name="odd", resource_string="<robot name='x'><link/></robot>")
say("more", twice=twice[0], renamed=renamed.entity_name, wrong=wrong, nothing=code("SpawnEntity", name="odd")[0],
    name=code("SpawnEntity", name="a.b", resource_string=URDF)[0], web=code("SpawnEntity", name="odd", uri="https://x/y")[0],
    format=code("SpawnEntity", name="odd", resource_string="<html/>")[0],
    file=call("SpawnEntity", name="car", uri="robots/atrv.robray", initial_pose=pose(9.0, 9.0, 0.0)).result.result,
    escaped=call("SpawnEntity", name="box", uri=current.world.world_resource.uri.rpartition("/")[0] + "/a%20ball.urdf", initial_pose=pose(9.0, -9.0, 3.0)).result.result)
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
moving = EntityState()
moving.pose = pose(50.0, 50.0, 100.0).pose
moving.twist.linear.x, moving.twist.angular.z = 2.0, 0.5
accelerated = EntityState()
accelerated.acceleration.linear.x = 1.0
say("moved", set=code("SetEntityState", entity="ball", state=moved), position=position("ball"),
    accelerated=code("SetEntityState", entity="ball", state=accelerated)[0], kinematic=code("SetEntityState", entity="rover", state=moving), nobody=code("SetEntityState", entity="nobody", state=moved)[0],
    unknown=position("nobody")[0])
spin(0.5)
fallen = position("ball")
flies = code("SetEntityState", entity="ball_1", state=moving)
spin(0.5)
states = call("GetEntitiesStates", filters=EntityFilters(filter="^ball_1$"))
ball = states.states[0]
near = Bounds(type=Bounds.TYPE_BOX, points=[Vector3(x=49.0, y=45.0, z=80.0), Vector3(x=60.0, y=55.0, z=110.0)])
hull = Bounds(type=Bounds.TYPE_CONVEX_HULL, points=[Vector3()] * 4)
bounds = call("GetEntityBounds", entity="ball")
say("states", flies=flies, entities=list(states.entities), x=ball.pose.position.x, vx=ball.twist.linear.x, turning=ball.twist.angular.z,
    near=list(call("GetEntities", filters=EntityFilters(bounds=near)).entities), hull=code("GetEntities", filters=EntityFilters(bounds=hull))[0],
    bounds=[bounds.bounds.type] + [[one.x, one.y, one.z] for one in bounds.bounds.points], nobody=code("GetEntityBounds", entity="nobody")[0])
SCOUT = """(
    // A robot of a simulation file.
    model: "robots/atrv.robray", base: kinematic,
    sensors: { "odometry": (kind: "odometry") }, actuators: { "motion": (kind: "v_omega") },
)"""
odometries = []
scout = call("SpawnEntity", name="scout", resource_string=SCOUT, initial_pose=pose(-9.0, 0.0, 0.0))
node.create_subscription(Odometry, "/scout/odometry", odometries.append, 10)
motion = node.create_publisher(Twist, "/scout/motion", 10)
command = Twist()
command.linear.x = 0.5
end = time.monotonic() + 15
while time.monotonic() < end and not (odometries and odometries[-1].pose.pose.position.x > 0.2):
    motion.publish(command)
    spin(0.1)
say("scout", result=[scout.result.result, scout.result.error_message], odometry=odometries[-1].twist.twist.linear.x if odometries else None,
    moved=position("scout")[1], wrong=code("SpawnEntity", name="odd", resource_string='(model: "robots/atrv.robray", sensors: { "eye": (kind: "eyes") })'))
running = code("StepSimulation", steps=1)
refused = simulate(10)
say("played", play=play[0], state=state(), fallen=fallen, running=running[0], refused=refused)
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
