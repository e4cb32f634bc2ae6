// Drives robots through the public classes of roslib, and prints what happens as JSON, a line for each step.
// Usage: node roslib.mjs PORT, in a directory whose node_modules have roslib.
import * as ROSLIB from "roslib";

const port = process.argv[2];
const say = (step, values) => console.log(JSON.stringify({ step, ...values }));

function connect() {
    const ros = new ROSLIB.Ros({ url: `ws://127.0.0.1:${port}` });
    return new Promise((done, failed) => {
        ros.on("connection", () => done(ros));
        ros.on("error", failed);
    });
}

/** Resolves with what `start(done, failed)` yields, or fails after 20 s. */
function wait(what, start) {
    return new Promise((done, failed) => {
        const timer = setTimeout(() => failed(new Error(`${what}: no answer`)), 20000);
        const end = (finish) => (value) => {
            clearTimeout(timer);
            finish(value);
        };
        start(end(done), end(failed));
    });
}

/** Returns the error with which something fails. */
const failure = (promise) => promise.then(() => "no failure", (why) => String(why?.message ?? why));

const ros = await connect();
const other = await connect();

function topic(name, messageType, settings = {}) {
    return new ROSLIB.Topic({ ros, name, messageType, reconnect_on_close: false, ...settings });
}

/** Resolves with the first message of a topic that satisfies a predicate. */
function message(name, type, is_it = () => true, settings = {}) {
    const source = topic(name, type, settings);
    return wait(name, (done) => source.subscribe((one) => is_it(one) && done(one))).finally(() => source.unsubscribe());
}

function call(name, request = {}, on = ros) {
    const service = new ROSLIB.Service({ ros: on, name, serviceType: "morse_sim/Json" });
    return wait(name, (done, failed) => service.callService(request, done, failed));
}

async function topics() {
    const motion = topic("/rover/motion", "geometry_msgs/Twist");
    motion.publish({ linear: { x: 0.5 }, angular: { z: 0 } });
    const odometry = await message("/rover/odometry", "nav_msgs/Odometry", (one) => one.pose.pose.position.x > 0.3);
    const raw = await message("/rover/eye/image", "sensor_msgs/Image");
    const cbor = await message("/rover/eye/image", "sensor_msgs/Image", (one) => one.data instanceof Uint8Array, { compression: "cbor" });
    const infinite = await message("/rover/scan", "sensor_msgs/LaserScan", undefined, { compression: "cbor" });
    const png = await message("/rover/odometry", "nav_msgs/Odometry", undefined, { ros: other, compression: "png" });
    const cdr = await message("/rover/odometry", "nav_msgs/Odometry", (one) => one.bytes, { compression: "cbor-raw" });
    const bytes = new DataView(cdr.bytes.buffer, cdr.bytes.byteOffset, cdr.bytes.byteLength);
    say("topics", {
        speed: odometry.twist.twist.linear.x, base64: atob(raw.data).length, cbor: cbor.data.length,
        middle: Array.from(cbor.data.slice(4 * (16 * 4 + 8), 4 * (16 * 4 + 8) + 3)), infinite: infinite.ranges.includes(Infinity),
        png: png.twist.twist.linear.x, header: Array.from(cdr.bytes.slice(0, 4)), seconds: [cdr.secs, bytes.getInt32(4, true)],
        nanos: [cdr.nsecs, bytes.getUint32(8, true)],
    });
    motion.publish({ linear: { x: 0 }, angular: { z: 0 } });
}

async function services() {
    const stopped = await call("/rover/motion/stop");
    const unknown = await failure(call("/rover/motion/fly"));
    const server = new ROSLIB.Service({ ros: other, name: "/add", serviceType: "example_interfaces/AddTwoInts" });
    await server.advertise((request, response) => {
        response.sum = request.a + request.b;
        return true;
    });
    // The answer confirms that the service is offered.
    const kind = await wait("type", (done) => other.getServiceType("/add", done));
    const sum = await call("/add", { a: 40, b: 2 });
    await server.unadvertise();
    await wait("type", (done) => other.getServiceType("/add", done));
    say("services", { stopped, unknown, kind, sum, withdrawn: await failure(call("/add", { a: 1, b: 1 })) });
}

async function parameters() {
    const parameter = (name) => new ROSLIB.Param({ ros, name });
    const get = (name) => wait(name, (done, failed) => parameter(name).get(done, failed));
    await wait("set", (done, failed) => parameter("/goal").set({ x: [1, 2] }, done, failed));
    const value = await get("goal");
    const names = await wait("names", (done) => ros.getParams(done));
    await wait("delete", (done, failed) => parameter("/goal").delete(done, failed));
    const description = await get("/arm/robot_description");
    const links = Object.keys(new ROSLIB.UrdfModel({ string: description }).links);
    say("parameters", {
        value, names, gone: await failure(get("/goal")), clock: await get("use_sim_time"), links,
        own: await failure(wait("set", (done, failed) => parameter("use_sim_time").set(false, done, failed))),
    });
}

async function frames() {
    const pose = (Client, fixedFrame, frame, is_it = () => true) => {
        const client = new Client({ ros, fixedFrame, angularThres: 0.001, transThres: 0.001, rate: 20 });
        const found = wait(frame, (done) => client.subscribe(frame, (one) => is_it(one) && done(one)));
        return found.finally(() => client.dispose());
    };
    const mount = await pose(ROSLIB.TFClient, "rover/base_link", "rover/scan");
    const motion = topic("/rover/motion", "geometry_msgs/Twist");
    motion.publish({ linear: { x: 0.5 }, angular: { z: 0 } });
    const start = await pose(ROSLIB.ROS2TFClient, "/rover/odom", "/rover/scan");
    const later = await pose(ROSLIB.TFClient, "/rover/odom", "/rover/scan", (one) => one.translation.x > start.translation.x + 0.25);
    motion.publish({ linear: { x: 0 }, angular: { z: 0 } });
    const tip = await pose(ROSLIB.TFClient, "arm/base_link", "arm/kuka_7");
    say("frames", { mount: mount.translation, moved: later.translation.x - start.translation.x, tip: tip.translation });
}

const duration = (seconds) => ({ sec: Math.floor(seconds), nanosec: Math.round((seconds % 1) * 1e9) });
const trajectory = (joint_names, positions, seconds) => ({ joint_names, points: [{ positions, time_from_start: duration(seconds) }] });
const joints = () => message("/arm/joints", "sensor_msgs/JointState");
const position = (state, name) => state.position[state.name.indexOf(name)];

async function topicActions() {
    const client = new ROSLIB.ActionClient({
        ros, serverName: "/arm/armature/follow_joint_trajectory", actionName: "control_msgs/FollowJointTrajectoryAction",
    });
    const carry_out = async (goalMessage, cancelled = false) => {
        const goal = new ROSLIB.Goal({ actionClient: client, goalMessage });
        let count = 0;
        goal.on("feedback", () => {
            count += 1;
            if (cancelled && count === 3) goal.cancel();
        });
        const result = await wait("result", (done) => {
            goal.on("result", done);
            goal.send();
        });
        return { status: goal.status.status, text: goal.status.text, result, count };
    };
    const followed = await carry_out({ trajectory: trajectory(["kuka_2", "kuka_4"], [0.3, -0.2], 1) });
    const state = await joints();
    const cancelled = await carry_out({ trajectory: trajectory(["kuka_2"], [0], 10) }, true);
    const refused = await carry_out({ trajectory: trajectory(["knee"], [0], 1) });
    const statuses = await message("/arm/armature/follow_joint_trajectory/status", "actionlib_msgs/GoalStatusArray", (one) => one.status_list.length === 3);
    say("topic_actions", {
        followed, positions: ["kuka_2", "kuka_4"].map((name) => position(state, name)), cancelled, refused,
        statuses: statuses.status_list.map((one) => one.status),
    });
}

async function actions() {
    const action = (on, name, actionType) => new ROSLIB.Action({ ros: on, name, actionType });
    const follow = action(ros, "/arm/armature/follow_joint_trajectory", "control_msgs/action/FollowJointTrajectory");
    const send = (to, goal, feedback) => wait(to.name, (done, failed) => to.sendGoal(goal, done, feedback, failed));
    // The first joints move 1 rad in 0.2 s, more than their motors can.
    const hasty = { trajectory: trajectory(["kuka_1"], [1.5], 0.2), path_tolerance: [{ name: "kuka_1", position: 0.05 }] };
    const navigate = action(ros, "/rover/goal/navigate_to_pose", "nav2_msgs/action/NavigateToPose");
    const distances = [];
    const start = await message("/rover/odometry", "nav_msgs/Odometry");
    const goal = (x) => ({ pose: { header: { frame_id: "map" }, pose: { position: { x } } } });
    // The rover looks against the axis x of the map.
    const arrived = await send(navigate, goal(-start.pose.pose.position.x - 1.5), (one) => distances.push(one.distance_remaining));
    let id;
    const cancelled = await failure(wait("cancel", (done, failed) => {
        id = navigate.sendGoal(goal(-100), done, () => navigate.cancelGoal(id), failed);
    }));
    const grip = action(ros, "/arm/hand/gripper_cmd", "control_msgs/action/GripperCommand");
    const walk = action(other, "/walk", "example_interfaces/action/Walk");
    walk.advertise((asked, goal_id) => {
        walk.sendFeedback(goal_id, { step: asked.steps });
        walk.setSucceeded(goal_id, { steps: asked.steps + 1 });
    }, () => {});
    await wait("type", (done) => other.getServiceType("/walk", done));
    const steps = [];
    const walked = await send(action(ros, "/walk", "example_interfaces/action/Walk"), { steps: 3 }, (one) => steps.push(one.step));
    say("actions", {
        followed: await send(follow, { trajectory: trajectory(["kuka_1"], [0.2], 0.5) }), hasty: await failure(send(follow, hasty)),
        arrived, first: distances[0], last: distances[distances.length - 1], cancelled,
        frame: await failure(send(navigate, { pose: { header: { frame_id: "rover/scan" } } })),
        field: await failure(send(navigate, { position: 1 })), closed: await send(grip, { command: { position: 0, max_effort: 5 } }),
        opened: await send(grip, { command: { position: 0.05 } }), unknown: await failure(send(action(ros, "/fly", "a/Fly"), {})), walked, steps,
    });
}

async function trajectories() {
    const commands = topic("/arm/armature/joint_trajectory", "trajectory_msgs/JointTrajectory");
    commands.publish(trajectory(["kuka_3"], [0.4], 0.5));
    const state = await message("/arm/joints", "sensor_msgs/JointState", (one) => Math.abs(position(one, "kuka_3") - 0.4) < 0.01);
    const status = wait("status", (done) => ros.on("status", done));
    commands.publish(trajectory(["knee"], [0.4], 0.5));
    say("trajectories", { position: position(state, "kuka_3"), refused: (await status).msg });
}

async function queries() {
    const ask = (method, ...rest) => wait(method, (done, failed) => ros[method](...rest, done, failed));
    const typedefs = await ask("getMessageDetails", "geometry_msgs/msg/Twist");
    const raw = await ask("getTopicsAndRawTypes");
    say("queries", {
        topics: (await ask("getTopics")).topics, services: await ask("getServices"), kind: await ask("getTopicType", "/rover/scan"),
        service: await ask("getServiceType", "/rover/motion/stop"), of_kind: await ask("getServicesForType", "rosapi_msgs/srv/Topics"),
        details: ros.decodeTypeDefs(typedefs), nodes: await ask("getNodes"), actions: await ask("getActionServers"),
        subscribing: (await ask("getNodeDetails", "/morse_sim")).subscribing, request: await ask("getServiceRequestDetails", "morse_sim/Json"),
        laser: raw.typedefs_full_text[raw.topics.indexOf("/rover/scan")].split("\n")[0],
    });
}

for (const step of [topics, services, parameters, frames, topicActions, actions, trajectories, queries]) await step();
process.exit(0);
