// Overlays on the shapes: scans, trails, axes and names.
import { place, project } from "./algebra.js";
import { keyOf } from "./world.js";

const AXES = [[[1, 0, 0], [0.85, 0.24, 0.22]], [[0, 1, 0], [0.22, 0.62, 0.29]], [[0, 0, 1], [0.2, 0.42, 0.88]]];

// Returns the lines and points of the visible layers.
export function strokesOf(world, layers, accent, camera) {
  const strokes = [];
  if (layers.trails) {
    [...world.trails.values()].forEach((points, index) => {
      const color = hue(index);
      strokes.push({ mode: "strip", data: pack(points.map(([x, y, z]) => [x, y, z + 0.02]), color, 0.9) });
    });
  }
  // Lamps that are on, since most are small.
  // A light of a robot that shines on its own case is some millimetres before it.
  const dot = ({ at, distance }) => place(at, [Math.min(distance / 5, 0.009), 0, 0]);
  const lamps = world.litLamps().flatMap((lamp) => [...pack([dot(lamp)], lamp.color, Math.min(lamp.shine, 1))]);
  strokes.push({ mode: "points", data: new Float32Array(lamps) });
  const clouds = [...world.clouds.values()];
  if (layers.rays) {
    const ends = clouds.flatMap(({ origin, points }) => points.flatMap((point) => [origin, point]));
    strokes.push({ mode: "lines", data: pack(ends, accent, 0.16) });
  }
  if (layers.points) {
    strokes.push({ mode: "points", data: pack(clouds.flatMap(({ points }) => points), accent, 0.95) });
  }
  if (layers.axes) {
    const lines = [];
    for (const { body, pose } of world.scene.frames) addAxes(lines, world.poses[body], pose, 0.25);
    strokes.push({ mode: "lines", data: new Float32Array(lines), hidden: true });
  }
  if (world.selected) {
    const lines = [];
    addAxes(lines, world.poseOf(world.selected), null, Math.min(Math.max(camera.distance * 0.08, 0.1), 1));
    strokes.push({ mode: "lines", data: new Float32Array(lines), hidden: true });
  }
  return strokes;
}

function pack(points, [red, green, blue], alpha) {
  const data = new Float32Array(points.length * 7);
  points.forEach(([x, y, z], index) => data.set([x, y, z, red, green, blue, alpha], index * 7));
  return data;
}

function addAxes(lines, body, own, length) {
  const point = (at) => (own ? place(body, place(own, at)) : place(body, at));
  const origin = point([0, 0, 0]);
  for (const [axis, color] of AXES) {
    lines.push(...origin, ...color, 1, ...point(axis.map((coordinate) => coordinate * length)), ...color, 1);
  }
}

// Distinct colours of equal lightness.
export function hue(index) {
  const angle = ((index * 137.508 + 200) % 360) / 60;
  const channel = (shift) => {
    const k = (angle + shift) % 6;
    return 0.82 - 0.6 * Math.max(0, Math.min(k, 4 - k, 1)) * 0.85;
  };
  return [channel(5), channel(3), channel(1)];
}

// Names of robots, over the canvas.
export class Labels {
  constructor(box) {
    this.box = box;
    this.known = new Map();
  }

  clear() {
    this.known.clear();
    this.box.replaceChildren();
  }

  draw(world, camera, isOn) {
    const shown = isOn ? world.scene.robots.map((robot) => ({ robot: robot.name })) : [];
    const selected = world.selected && !world.selected.robot ? [world.selected] : [];
    // Of two names at the same position only one is shown.
    const hidden = selected.length && world.selected.component && world.components.get(world.selected.component).robot;
    const wanted = new Set();
    for (const of of [...shown.filter(({ robot }) => robot !== hidden), ...selected]) {
      const key = keyOf(of);
      wanted.add(key);
      if (!this.known.has(key)) {
        const label = document.createElement("span");
        label.className = "label";
        label.textContent = of.robot ?? of.component ?? of.body;
        this.box.append(label);
        this.known.set(key, label);
      }
      this.put(this.known.get(key), world, camera, of);
    }
    for (const [key, label] of this.known) {
      if (wanted.has(key)) continue;
      label.remove();
      this.known.delete(key);
    }
  }

  put(label, world, camera, of) {
    const [x, y, z] = world.poseOf(of);
    const at = project(camera.matrix, [x, y, z + (of.robot ? this.heightOf(world, of.robot) : 0.1)]);
    const isSeen = at && Math.abs(at[0]) < 1.1 && Math.abs(at[1]) < 1.1 && at[2] < camera.distance * 6;
    label.hidden = !isSeen;
    if (!isSeen) return;
    const { clientWidth, clientHeight } = this.box;
    const [left, top] = [((at[0] + 1) / 2) * clientWidth, ((1 - at[1]) / 2) * clientHeight];
    label.style.transform = `translate(${left.toFixed(1)}px, ${top.toFixed(1)}px) translate(-50%, -130%)`;
    label.classList.toggle("selected", Boolean(world.selected) && keyOf(world.selected) === keyOf(of));
  }

  // Returns the approximate height of a robot's shapes above its base.
  heightOf(world, robot) {
    this.heights ??= new Map();
    if (!this.heights.has(robot)) {
      const bodies = world.bodiesOf({ robot });
      const base = world.poseOf({ robot })[2];
      const tops = world.scene.shapes.filter((shape) => bodies.has(shape.body)).map((shape) => {
        const { box, sphere, cone, capsule } = shape.form;
        const half = box ? box[2] / 2 : sphere ?? (cone ? Math.max(cone[2], 0) : capsule ? capsule[1] : 0.2);
        return place(world.poses[shape.body], place(shape.pose, [0, 0, 0]))[2] + half - base;
      });
      this.heights.set(robot, Math.min(Math.max(0.2, ...tops), 4));
    }
    return this.heights.get(robot);
  }
}
