// State of the simulation in the page: the scene, poses of bodies, readings, and the selection.
import { angles, compose, norm, place, sub } from "./algebra.js";
import { Points } from "./values.js";

const LONGEST_SERIES = 6000;
const LONGEST_TRAIL = 3000;
const TRAIL_STEP = 0.03;

export class World {
  scene = null;
  now = { tick: 0, seconds: 0, held: false, factor: 1, measured: 0 };
  selected = null;
  plotted = [];
  series = new Map();
  readings = new Map();
  clouds = new Map();
  trails = new Map();
  // States of the lamps of the scene.
  lamps = [];

  setScene(scene) {
    this.scene = scene;
    this.poses = scene.bodies.map((body) => body.pose);
    this.lamps = scene.lamps.map((lamp) => ({ ...lamp, shine: 0 }));
    this.components = new Map(scene.components.map((component) => [component.path, component]));
    this.robots = new Map(scene.robots.map((robot) => [robot.name, robot]));
    this.bodies = new Map(scene.bodies.map((body, index) => [body.name, index]));
    this.sensors = new Map(scene.components.filter((one) => one.role === "sensor").map((one) => [one.sensor, one]));
    this.ofRobot = new Map();
    scene.bodies.forEach(({ robot }, index) => {
      if (robot) this.ofRobot.set(robot, [...(this.ofRobot.get(robot) ?? []), index]);
    });
    this.scanners = scene.components.filter((one) => one.fields?.some((field) => field.name === "point_list"));
    if (!this.exists(this.selected)) this.selected = null;
    this.plotted = this.plotted.filter(({ of }) => this.exists(of));
    this.forget();
  }

  // Discards earlier data, as after a reset.
  forget() {
    this.readings.clear();
    this.clouds.clear();
    this.trails.clear();
    this.series.clear();
  }

  // Applies a frame; returns true if the time went back.
  apply(frame) {
    const isReset = frame.tick < this.now.tick;
    if (isReset) this.forget();
    this.now = frame;
    for (const [body, pose] of frame.moved) if (body < this.poses.length) this.poses[body] = pose;
    for (const [lamp, state] of frame.lamps) Object.assign(this.lamps[lamp] ?? {}, state);
    for (const reading of frame.readings) this.take(reading);
    this.trace();
    this.sample();
    return isReset;
  }

  take({ sensor, seconds, values }) {
    const component = this.sensors.get(sensor);
    if (!component) return;
    const reading = { seconds, fields: new Map() };
    component.fields.forEach((field, index) => {
      const value = values[index];
      // Named values are listed next to the other fields.
      const isFlat = value instanceof Map && (field.flat || component.fields.length === 1);
      for (const [name, entry] of isFlat ? value : [[field.name, value]]) {
        reading.fields.set(name, { value: entry, unit: field.unit, docs: field.docs });
      }
    });
    this.readings.set(component.path, reading);
    const points = reading.fields.get("point_list")?.value;
    if (points instanceof Points) this.clouds.set(component.path, this.cloud(component, points));
  }

  // Returns the points of a scan in the world. A point at the sensor itself is a ray without a hit.
  cloud(component, { xyz }) {
    const pose = this.poseOf({ component: component.path });
    const points = [];
    for (let at = 0; at < xyz.length; at += 3) {
      const point = [xyz[at], xyz[at + 1], xyz[at + 2]];
      if (norm(point) > 1e-6) points.push(place(pose, point));
    }
    return { origin: pose.slice(0, 3), points };
  }

  trace() {
    for (const { name, body } of this.scene.robots) {
      const at = this.poses[body].slice(0, 3);
      const trail = this.trails.get(name) ?? [];
      if (trail.length === 0) this.trails.set(name, trail);
      if (trail.length > 0 && norm(sub(trail[trail.length - 1], at)) < TRAIL_STEP) continue;
      trail.push(at);
      if (trail.length > LONGEST_TRAIL) trail.shift();
    }
  }

  // Stores the history of the selected and plotted numbers.
  sample() {
    const wanted = new Map(this.plotted.map(({ of }) => [keyOf(of), of]));
    if (this.selected) wanted.set(keyOf(this.selected), this.selected);
    for (const [key, of] of wanted) {
      for (const row of this.rowsOf(of)) {
        if (typeof row.value !== "number") continue;
        const name = `${key} ${row.name}`;
        const series = this.series.get(name) ?? { times: [], values: [] };
        if (series.times.length === 0) this.series.set(name, series);
        if (series.times[series.times.length - 1] >= row.seconds) continue;
        series.times.push(row.seconds);
        series.values.push(row.value);
        if (series.times.length > LONGEST_SERIES) {
          series.times.splice(0, LONGEST_SERIES / 4);
          series.values.splice(0, LONGEST_SERIES / 4);
        }
      }
    }
  }

  // Returns the lamps that are on, with their poses in the world.
  litLamps() {
    return this.lamps.filter(({ shine }) => shine > 0).map((lamp) => ({ ...lamp, at: compose(this.poses[lamp.body], lamp.pose) }));
  }

  exists(of) {
    if (!of || !this.scene) return false;
    if (of.component) return this.components.has(of.component);
    return of.robot ? this.robots.has(of.robot) : this.bodies.has(of.body);
  }

  // Returns the pose of an object in the world.
  poseOf(of) {
    if (of.component) {
      const { body, pose } = this.components.get(of.component);
      return compose(this.poses[body], pose);
    }
    return this.poses[of.robot ? this.robots.get(of.robot).body : this.bodies.get(of.body)];
  }

  // Returns the bodies of an object.
  bodiesOf(of) {
    if (!of) return new Set();
    const robot = of.robot ?? (of.component && this.components.get(of.component).robot);
    if (robot) return new Set(this.ofRobot.get(robot) ?? [this.robots.get(robot)?.body]);
    return new Set([this.bodies.get(of.body)]);
  }

  // Returns names, values and units of the current data of an object.
  rowsOf(of) {
    const rows = [];
    const reading = of.component && this.readings.get(of.component);
    for (const [name, { value, unit, docs }] of reading ? reading.fields : []) {
      spread(rows, name, value, { unit, docs, seconds: reading.seconds, group: "data" });
    }
    const pose = this.poseOf(of);
    const here = { seconds: this.now.seconds, group: "pose" };
    ["x", "y", "z"].forEach((name, axis) => rows.push({ name: `pose.${name}`, value: pose[axis], unit: "m", ...here }));
    angles(pose).forEach((value, axis) => {
      rows.push({ name: `pose.${["roll", "pitch", "yaw"][axis]}`, value, unit: "rad", ...here });
    });
    return rows;
  }

  // Returns the sensors whose data are required.
  watched(scans) {
    const paths = new Set(this.plotted.map(({ of }) => of.component).filter(Boolean));
    if (this.selected?.component) paths.add(this.selected.component);
    if (scans) this.scanners.forEach(({ path }) => paths.add(path));
    return [...paths].filter((path) => this.components.get(path)?.role === "sensor");
  }
}

export const keyOf = (of) => (of.component ? `component:${of.component}` : of.robot ? `robot:${of.robot}` : `body:${of.body}`);
export const nameOf = (of) => of.component ?? of.robot ?? of.body;

const AXES = { 2: ["x", "y"], 3: ["x", "y", "z"], 4: ["x", "y", "z", "w"] };

// Expands short lists and maps into their elements; other values stay unchanged.
function spread(rows, name, value, rest) {
  const isNumbers = value instanceof Float64Array || value instanceof Float32Array;
  if (isNumbers && value.length <= 16) {
    const names = AXES[value.length];
    value.forEach((element, index) => rows.push({ name: `${name}.${names ? names[index] : index}`, value: element, ...rest }));
  } else if (value instanceof Map) {
    for (const [key, element] of value) spread(rows, `${name}.${key}`, element, rest);
  } else if (Array.isArray(value) && value.length <= 16 && value.some((element) => typeof element === "object")) {
    value.forEach((element, index) => spread(rows, `${name}.${index}`, element, rest));
  } else {
    rows.push({ name, value, ...rest });
  }
}
