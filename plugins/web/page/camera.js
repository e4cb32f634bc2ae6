// Camera that orbits a target, and follows it when it moves.
import { add, cross, lookAt, multiply, norm, perspective, scaled, sub, unit } from "./algebra.js";

const ANGLE = (42 * Math.PI) / 180;
const STEEPEST = Math.PI / 2 - 0.02;

export class Camera {
  constructor(canvas) {
    this.canvas = canvas;
    this.setHome({ eye: [-4, -5, 4], target: [0, 0, 0.3] });
    this.goHome();
    this.listen();
  }

  // Initial pose of the camera, as proposed by the simulation for a wide image; and its field of view, if a file declares
  // one.
  setHome({ eye, target, angle, near, far }) {
    Object.assign(this, { angle: angle ?? ANGLE, near, far });
    const away = sub(eye, target);
    const distance = Math.max(norm(away), 0.1);
    const pitch = Math.min(Math.max(Math.asin(away[2] / distance), -STEEPEST), STEEPEST);
    this.home = { target, distance, yaw: Math.atan2(away[1], away[0]), pitch };
  }

  goHome() {
    const { target, distance, yaw, pitch } = this.home;
    Object.assign(this, { target: [...target], yaw, pitch });
    this.update();
    // A narrow image requires a larger distance than a wide one.
    this.distance = distance * Math.max(1, 1 / this.aspect);
    this.update();
  }

  update() {
    const { canvas } = this;
    const [c, s] = [Math.cos(this.pitch), Math.sin(this.pitch)];
    this.eye = add(this.target, scaled([c * Math.cos(this.yaw), c * Math.sin(this.yaw), s], this.distance));
    const aspect = canvas.clientWidth / canvas.clientHeight || 1;
    const near = this.near ?? Math.min(Math.max(0.02, this.distance / 100), (this.far ?? Infinity) / 2);
    const far = Math.max(this.far ?? this.distance * 12 + 300, near * 2);
    const view = lookAt(this.eye, this.target, [0, 0, 1]);
    this.matrix = multiply(perspective(this.angle, aspect, near, far), view);
    this.right = [view[0], view[4], view[8]];
    this.top = [view[1], view[5], view[9]];
    this.aspect = aspect;
  }

  // Returns the ray through a point of the canvas.
  ray(x, y) {
    const { clientWidth, clientHeight } = this.canvas;
    const tangent = Math.tan(this.angle / 2);
    const forward = unit(sub(this.target, this.eye));
    const across = scaled(this.right, ((x / clientWidth) * 2 - 1) * tangent * this.aspect);
    const upward = scaled(this.top, (1 - (y / clientHeight) * 2) * tangent);
    return { origin: this.eye, direction: unit(add(forward, add(across, upward))) };
  }

  turn(x, y) {
    this.yaw -= x;
    this.pitch = Math.min(Math.max(this.pitch + y, -STEEPEST), STEEPEST);
  }

  // Moves along the ground and up, by fractions of the view.
  pan(x, y) {
    const size = this.distance * Math.tan(this.angle / 2) * 2;
    const level = unit(cross([0, 0, 1], this.right));
    const steep = Math.abs(Math.sin(this.pitch));
    const upward = steep > 0.35 ? level : [0, 0, 1];
    this.target = add(this.target, add(scaled(this.right, -x * size), scaled(upward, (y * size) / (steep > 0.35 ? steep : 1))));
    this.onpan?.();
  }

  zoom(factor) {
    this.distance = Math.min(Math.max(this.distance * factor, 0.15), 2000);
  }

  listen() {
    const { canvas } = this;
    const pointers = new Map();
    let travelled = 0;
    canvas.addEventListener("pointerdown", (event) => {
      pointers.set(event.pointerId, [event.offsetX, event.offsetY]);
      canvas.setPointerCapture(event.pointerId);
      travelled = 0;
    });
    canvas.addEventListener("pointermove", (event) => {
      const before = pointers.get(event.pointerId);
      if (!before) return;
      const now = [event.offsetX, event.offsetY];
      const [x, y] = [now[0] - before[0], now[1] - before[1]];
      travelled += Math.abs(x) + Math.abs(y);
      if (pointers.size === 2) {
        const [other] = [...pointers].filter(([id]) => id !== event.pointerId).map(([, at]) => at);
        const span = (at) => Math.hypot(at[0] - other[0], at[1] - other[1]);
        this.zoom(span(before) / (span(now) || 1));
        this.pan(x / canvas.clientHeight / 2, y / canvas.clientHeight / 2);
      } else if (event.shiftKey || event.buttons & 6) {
        this.pan(x / canvas.clientHeight, y / canvas.clientHeight);
      } else {
        this.turn(x * 0.006, y * 0.006);
      }
      pointers.set(event.pointerId, now);
    });
    const up = (event) => {
      if (pointers.delete(event.pointerId) && travelled < 5 && event.type === "pointerup") this.onclick?.(event);
    };
    canvas.addEventListener("pointerup", up);
    canvas.addEventListener("pointercancel", up);
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.zoom(Math.exp(event.deltaY * (event.deltaMode ? 0.04 : 0.0012)));
    }, { passive: false });
    canvas.addEventListener("keydown", (event) => {
      const keys = {
        ArrowLeft: () => this.turn(-0.08, 0), ArrowRight: () => this.turn(0.08, 0),
        ArrowUp: () => this.turn(0, 0.06), ArrowDown: () => this.turn(0, -0.06),
        "+": () => this.zoom(0.85), "=": () => this.zoom(0.85), "-": () => this.zoom(1 / 0.85),
      };
      if (!keys[event.key]) return;
      keys[event.key]();
      event.preventDefault();
    });
  }
}
