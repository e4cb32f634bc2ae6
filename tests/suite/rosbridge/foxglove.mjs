// Connects as the rosbridge player of Foxglove does, with its packages: topics with their definitions, messages in CDR, commands
// and services. Prints what happens as JSON, a line for each step.
// Usage: node foxglove.mjs PORT, in a directory whose node_modules have the packages.
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
globalThis.WebSocket = require("ws");
const roslib = require("@foxglove/roslibjs");
const { parse } = require("@foxglove/rosmsg");
const { MessageReader, MessageWriter } = require("@foxglove/rosmsg2-serialization");
const { ros2jazzy } = require("@foxglove/rosmsg-msgs-common");

const ros = new roslib.Ros({ url: `ws://127.0.0.1:${process.argv[2]}` });
const say = (step, values) => console.log(JSON.stringify({ step, ...values }));

/** Resolves with what `start(done, failed)` yields, or fails after 20 s. */
function wait(what, start) {
    return new Promise((done, failed) => {
        const timer = setTimeout(() => failed(new Error(`${what}: no answer`)), 20000);
        start((value) => { clearTimeout(timer); done(value); }, (why) => failed(new Error(`${what}: ${why}`)));
    });
}

await wait("connection", (done, failed) => { ros.on("connection", done); ros.on("error", failed); });

// The topics with the text of their definitions, from which the player makes its readers.
const list = await wait("topics", (done, failed) => ros.getTopicsAndRawTypes(done, failed));
const definitions = new Map();
for (const [index, topic] of list.topics.entries()) {
    definitions.set(topic, { type: list.types[index], parsed: parse(list.typedefs_full_text[index], { ros2: true }) });
}

/** Returns the fields of a definition, without constants and default values. */
const fields = (definition) => definition.filter((field) => field.isConstant !== true).map(({ name, type, isArray, arrayLength }) =>
    [name, type.replace("/msg/", "/"), isArray === true, arrayLength ?? 0]);

const differences = [];
const compared = new Set();
for (const { parsed } of definitions.values()) {
    for (const [index, { name, definitions: own }] of parsed.entries()) {
        const full = (name ?? "").replace("/msg/", "/");
        const known = ros2jazzy[full];
        if (index > 0 && known != null) {
            compared.add(full);
            const [ours, theirs] = [own, known.definitions].map((one) => JSON.stringify(fields(one)));
            if (ours !== theirs) differences.push({ full, ours, theirs });
        }
    }
}
for (const { type, parsed } of definitions.values()) {
    const full = type.replace("/msg/", "/");
    const known = ros2jazzy[full];
    if (known != null) {
        compared.add(full);
        const [ours, theirs] = [parsed[0].definitions, known.definitions].map((one) => JSON.stringify(fields(one)));
        if (ours !== theirs) differences.push({ full, ours, theirs });
    }
}
say("definitions", { topics: definitions.size, compared: [...compared].sort(), differences });

/** Resolves with the first message of a topic, read as the player reads it, and with whether its bytes are those of a writer. */
async function read(name) {
    const { type, parsed } = definitions.get(name);
    const topic = new roslib.Topic({ ros, name, messageType: type, compression: "cbor-raw" });
    const raw = await wait(name, (done) => topic.subscribe(done));
    topic.unsubscribe();
    const bytes = new Uint8Array(raw.bytes);
    const message = new MessageReader(parsed).readMessage(bytes);
    const again = new MessageWriter(parsed).writeMessage(message);
    // The padding of the header may differ.
    return { message, same: Buffer.compare(Buffer.from(again).subarray(4), Buffer.from(bytes).subarray(4)) === 0 };
}

const motion = new roslib.Topic({ ros, name: "/rover/motion", messageType: "geometry_msgs/msg/Twist" });
motion.advertise();
motion.publish(new roslib.Message({ linear: { x: 0.5, y: 0, z: 0 }, angular: { x: 0, y: 0, z: 0 } }));
await wait("the rover moves", (done) => {
    const odometry = new roslib.Topic({ ros, name: "/rover/odometry", messageType: "nav_msgs/msg/Odometry" });
    odometry.subscribe((message) => message.twist.twist.linear.x > 0.49 && (odometry.unsubscribe(), done()));
});
const unequal = [];
const silent = [];
const read_all = {};
for (const name of definitions.keys()) {
    // Actuators' topics have no messages.
    if (["/rover/motion", "/rover/goal", "/arm/armature", "/arm/hand"].some((own) => name.startsWith(own))) continue;
    try {
        const { message, same } = await read(name);
        if (!same) unequal.push(name);
        read_all[name] = message;
    } catch (why) {
        silent.push(`${name}: ${why.message}`);
    }
}
const image = read_all["/rover/eye/image"];
const scan = read_all["/rover/scan"];
say("messages", {
    names: Object.keys(read_all).sort(), unequal, silent,
    speed: read_all["/rover/odometry"].twist.twist.linear.x,
    middle: [...image.data.slice(4 * (16 * 4 + 8), 4 * (16 * 4 + 8) + 3)],
    ranges: scan.ranges.length, range: scan.ranges[90], infinite: scan.ranges[180] === Infinity,
    joints: read_all["/arm/joints"].name.length,
    frames: read_all["/tf"].transforms.map((one) => one.child_frame_id),
});

// The graph, and a service, as its panels call them.
const nodes = await wait("nodes", (done, failed) => ros.getNodes(done, failed));
const details = await wait("details", (done, failed) => ros.getNodeDetails(nodes[0], (subscribing, publishing, services) => done({ subscribing, publishing, services }), failed));
const stop = new roslib.Service({ ros, name: "/rover/motion/stop", serviceType: "morse_sim/Json" });
const stopped = await wait("stop", (done, failed) => stop.callService(new roslib.ServiceRequest({}), done, failed));
const parameters = await wait("parameters", (done, failed) => ros.getParams(done, failed));
say("graph", {
    nodes, stopped, parameters, publishes: details.publishing.includes("/rover/scan"),
    subscribes: details.subscribing.includes("/rover/motion"), serves: details.services.includes("/rover/motion/stop"),
});
ros.close();
process.exit(0);
