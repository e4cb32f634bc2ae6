// Draws the world with WebGL 2: shapes with sunlight and soft shadows, the ground, lines and points.
import { add, compose, lookAt, matrixOf, multiply, norm, orthographic, rotate, scaled, sub } from "./algebra.js";
import { formOf } from "./forms.js";
import { DEPTH, GROUND, LAMPS, SOLID, STROKE, compile } from "./shaders.js";

const SHADOW_SIZE = 2048;
// Fraction of the scene's light, chosen to suit the theme of the page.
const LOOKS = {
  light: { haze: [0.953, 0.957, 0.961], ink: [0.2, 0.26, 0.3], ambient: 1.8, sun: 0.9 },
  dark: { haze: [0.078, 0.094, 0.106], ink: [0.78, 0.85, 0.9], ambient: 1.0, sun: 0.78 },
};

export class Drawing {
  constructor(canvas) {
    this.canvas = canvas;
    const gl = canvas.getContext("webgl2", { antialias: true, alpha: false });
    if (!gl) throw new Error("this browser has no WebGL 2");
    this.gl = gl;
    this.solid = compile(gl, SOLID);
    this.depth = compile(gl, DEPTH);
    this.ground = compile(gl, GROUND);
    this.stroke = compile(gl, STROKE);
    this.makeShadow();
    this.makePlane();
    this.strokes = gl.createVertexArray();
    this.strokeBuffer = gl.createBuffer();
    gl.bindVertexArray(this.strokes);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.strokeBuffer);
    attribute(gl, 0, 3, 28, 0);
    attribute(gl, 1, 4, 28, 12);
    // Shapes without colours of their own.
    gl.vertexAttrib4f(8, 0, 0, 0, 0);
    this.batches = [];
    this.fence = null;
  }

  makeShadow() {
    const { gl } = this;
    this.shadowMap = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, this.shadowMap);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.DEPTH_COMPONENT24, SHADOW_SIZE, SHADOW_SIZE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.LINEAR);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE);
    this.shadowFrame = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.shadowFrame);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, this.shadowMap, 0);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  }

  makePlane() {
    const { gl } = this;
    this.plane = gl.createVertexArray();
    gl.bindVertexArray(this.plane);
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array([-1, -1, 1, -1, -1, 1, 1, 1]), gl.STATIC_DRAW);
    attribute(gl, 0, 2, 8, 0);
  }

  // Sets the shapes of a scene: shapes with the same triangles and opacity are drawn together.
  setScene(scene, meshes) {
    const { gl } = this;
    for (const batch of this.batches) {
      gl.deleteVertexArray(batch.array);
      batch.buffers.forEach((buffer) => gl.deleteBuffer(buffer));
    }
    const batches = new Map();
    this.ofBody = scene.bodies.map(() => []);
    this.light = scene.light;
    for (const shape of scene.shapes) {
      const form = formOf(shape.form, meshes);
      const clear = shape.color[3] < 0.999;
      const key = `${form.key} ${clear}`;
      if (!batches.has(key)) batches.set(key, { form, clear, shapes: [] });
      const batch = batches.get(key);
      this.ofBody[shape.body].push({ batch, index: batch.shapes.length, pose: shape.pose, size: form.size });
      batch.shapes.push(shape);
    }
    this.batches = [...batches.values()];
    this.batches.forEach((batch) => this.fill(batch));
  }

  fill(batch) {
    const { gl } = this;
    const geometry = batch.form.make();
    const count = batch.shapes.length;
    batch.bounds = bounds(geometry.positions);
    batch.count = geometry.indices.length;
    batch.matrices = new Float32Array(count * 16);
    batch.tints = new Float32Array(count * 5);
    batch.shapes.forEach((shape, index) => batch.tints.set(shape.color, index * 5));
    batch.array = gl.createVertexArray();
    gl.bindVertexArray(batch.array);
    const buffer = (target, data, usage) => {
      const made = gl.createBuffer();
      gl.bindBuffer(target, made);
      gl.bufferData(target, data, usage);
      return made;
    };
    const positions = buffer(gl.ARRAY_BUFFER, geometry.positions, gl.STATIC_DRAW);
    attribute(gl, 0, 3, 12, 0);
    const normals = buffer(gl.ARRAY_BUFFER, geometry.normals, gl.STATIC_DRAW);
    attribute(gl, 1, 3, 12, 0);
    const tints = buffer(gl.ARRAY_BUFFER, batch.tints, gl.DYNAMIC_DRAW);
    attribute(gl, 2, 4, 20, 0, 1);
    attribute(gl, 3, 1, 20, 16, 1);
    const matrices = buffer(gl.ARRAY_BUFFER, batch.matrices, gl.DYNAMIC_DRAW);
    for (let column = 0; column < 4; column++) attribute(gl, 4 + column, 4, 64, column * 16, 1);
    const indices = buffer(gl.ELEMENT_ARRAY_BUFFER, geometry.indices, gl.STATIC_DRAW);
    const paints = geometry.paints ? [buffer(gl.ARRAY_BUFFER, geometry.paints, gl.STATIC_DRAW)] : [];
    if (geometry.paints) attribute(gl, 8, 4, 16, 0);
    gl.bindVertexArray(null);
    batch.buffers = [positions, normals, tints, matrices, indices, ...paints];
    batch.moved = batch.tinted = true;
  }

  move(body, pose) {
    for (const { batch, index, pose: own, size } of this.ofBody[body] ?? []) {
      matrixOf(compose(pose, own), size, batch.matrices, index * 16);
      batch.moved = true;
    }
  }

  // Highlights the shapes of some bodies.
  choose(bodies) {
    this.ofBody?.forEach((shapes, body) => {
      for (const { batch, index } of shapes) {
        batch.tints[index * 5 + 4] = bodies.has(body) ? 1 : 0;
        batch.tinted = true;
      }
    });
  }

  upload() {
    const { gl } = this;
    for (const batch of this.batches) {
      if (batch.moved) {
        gl.bindBuffer(gl.ARRAY_BUFFER, batch.buffers[3]);
        gl.bufferSubData(gl.ARRAY_BUFFER, 0, batch.matrices);
      }
      if (batch.tinted) {
        gl.bindBuffer(gl.ARRAY_BUFFER, batch.buffers[2]);
        gl.bufferSubData(gl.ARRAY_BUFFER, 0, batch.tints);
      }
      batch.moved = batch.tinted = false;
    }
  }

  drawBatches(clear) {
    const { gl } = this;
    for (const batch of this.batches) {
      if (batch.clear !== clear) continue;
      gl.bindVertexArray(batch.array);
      gl.drawElementsInstanced(gl.TRIANGLES, batch.count, gl.UNSIGNED_INT, 0, batch.shapes.length);
    }
  }

  // Draws the view of the camera. `strokes` are lists of lines and points.
  draw(camera, look, { ground, accent, strokes, lamps }) {
    const { gl, canvas } = this;
    const colors = LOOKS[look];
    const reach = Math.max(60, camera.distance * 9);
    this.upload();
    const sun = this.drawShadow(camera);
    gl.viewport(0, 0, canvas.width, canvas.height);
    gl.clearColor(...colors.haze, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST);
    gl.depthFunc(gl.LEQUAL);
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, this.shadowMap);
    const shared = ({ program, at }) => {
      gl.useProgram(program);
      gl.uniformMatrix4fv(at.camera, false, camera.matrix);
      gl.uniformMatrix4fv(at.sun, false, sun);
      gl.uniform1i(at.shadow, 0);
      gl.uniform1f(at.texel, 1 / SHADOW_SIZE);
      gl.uniform3fv(at.eye, camera.eye);
      gl.uniform1f(at.reach, reach);
    };
    const { at } = this.solid;
    shared(this.solid);
    gl.uniform3fv(at.light, this.light.direction);
    gl.uniform3fv(at.sky, scaled(this.light.above, colors.ambient));
    gl.uniform3fv(at.earth, scaled(this.light.below, colors.ambient));
    gl.uniform3fv(at.sunlight, scaled(this.light.sun, colors.sun));
    gl.uniform3fv(at.accent, accent);
    gl.uniform3fv(at.haze, colors.haze);
    this.setLamps(lamps, camera);
    this.drawBatches(false);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    gl.depthMask(false);
    shared(this.ground);
    this.drawGround(camera, colors, reach, ground);
    gl.useProgram(this.solid.program);
    this.drawBatches(true);
    this.drawStrokes(camera, strokes);
    gl.depthMask(true);
    gl.disable(gl.BLEND);
    gl.deleteSync(this.fence);
    this.fence = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
    gl.flush();
  }

  // Sets the spotlights: of all that are on, those nearest to the eye.
  setLamps(lamps, camera) {
    const { gl } = this;
    const { at } = this.solid;
    const distance = (lamp) => norm(sub(lamp.at.slice(0, 3), camera.eye));
    const near = [...lamps].sort((one, other) => distance(one) - distance(other)).slice(0, LAMPS);
    const positions = new Float32Array(LAMPS * 4);
    const axes = new Float32Array(LAMPS * 4);
    const colors = new Float32Array(LAMPS * 3);
    near.forEach((lamp, index) => {
      positions.set([...lamp.at.slice(0, 3), lamp.distance], index * 4);
      axes.set([...rotate(lamp.at.slice(3), [1, 0, 0]), Math.cos(Math.min(lamp.size / 2, Math.PI))], index * 4);
      colors.set(lamp.color.map((channel) => channel ** 2.2 * lamp.shine), index * 3);
    });
    gl.uniform1i(at.lamp_count, near.length);
    gl.uniform4fv(at.lamp_position, positions);
    gl.uniform4fv(at.lamp_axis, axes);
    gl.uniform3fv(at.lamp_color, colors);
  }

  // Returns true while the last image is still being drawn, so that a slow graphics card is not overloaded.
  isBusy() {
    const { gl, fence } = this;
    return Boolean(fence) && gl.getSyncParameter(fence, gl.SYNC_STATUS) !== gl.SIGNALED;
  }

  drawShadow(camera) {
    const { gl } = this;
    const half = Math.min(Math.max(camera.distance * 0.9, 2), 80);
    const { direction } = this.light;
    const up = Math.abs(direction[2]) > 0.999 ? [0, 1, 0] : [0, 0, 1];
    const view = lookAt(add(camera.target, scaled(direction, half * 3)), camera.target, up);
    // In whole texels, so that shadows do not flicker when the camera moves.
    const step = (2 * half) / SHADOW_SIZE;
    view[12] = Math.round(view[12] / step) * step;
    view[13] = Math.round(view[13] / step) * step;
    const sun = multiply(orthographic(half, half * 0.2, half * 7), view);
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.shadowFrame);
    gl.viewport(0, 0, SHADOW_SIZE, SHADOW_SIZE);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST);
    gl.enable(gl.POLYGON_OFFSET_FILL);
    gl.polygonOffset(2.5, 4);
    gl.useProgram(this.depth.program);
    gl.uniformMatrix4fv(this.depth.at.camera, false, sun);
    this.drawBatches(false);
    gl.disable(gl.POLYGON_OFFSET_FILL);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    return sun;
  }

  drawGround(camera, colors, reach, lines) {
    const { gl } = this;
    const { at } = this.ground;
    gl.uniform3fv(at.middle, camera.target);
    gl.uniform1f(at.size, reach);
    gl.uniform3fv(at.ink, colors.ink);
    gl.bindVertexArray(this.plane);
    gl.enable(gl.POLYGON_OFFSET_FILL);
    // Shadows are drawn behind a floor at the same height, lines in front of it.
    for (const [mode, offset] of lines ? [[0, 1], [1, -1]] : [[0, 1]]) {
      gl.polygonOffset(offset, offset * 4);
      gl.uniform1f(at.lines, mode);
      gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
    }
    gl.disable(gl.POLYGON_OFFSET_FILL);
  }

  drawStrokes(camera, strokes) {
    const { gl } = this;
    gl.useProgram(this.stroke.program);
    gl.uniformMatrix4fv(this.stroke.at.camera, false, camera.matrix);
    gl.uniform1f(this.stroke.at.size, 2.2 * (this.canvas.width / this.canvas.clientWidth || 1));
    gl.bindVertexArray(this.strokes);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.strokeBuffer);
    for (const { mode, data, hidden } of strokes) {
      if (data.length === 0) continue;
      gl.bufferData(gl.ARRAY_BUFFER, data, gl.STREAM_DRAW);
      gl.uniform1i(this.stroke.at.round, mode === "points" ? 1 : 0);
      if (hidden) gl.disable(gl.DEPTH_TEST);
      const modes = { points: gl.POINTS, lines: gl.LINES, strip: gl.LINE_STRIP };
      gl.drawArrays(modes[mode], 0, data.length / 7);
      gl.enable(gl.DEPTH_TEST);
    }
  }

  // Returns the body whose shape a ray hits first, or null. Shapes are approximated by their bounding boxes.
  pick(origin, direction, poses) {
    let best = null;
    let nearest = Infinity;
    this.ofBody?.forEach((shapes, body) => {
      for (const { batch, pose, size } of shapes) {
        const at = compose(poses[body], pose);
        const back = [-at[3], -at[4], -at[5], at[6]];
        const from = rotate(back, sub(origin, at)).map((coordinate, axis) => coordinate / size[axis]);
        const along = rotate(back, direction).map((coordinate, axis) => coordinate / size[axis]);
        const met = slab(from, along, batch.bounds);
        if (met < nearest) [best, nearest] = [body, met];
      }
    });
    return best === null ? null : { body: best, distance: nearest };
  }
}

function attribute(gl, place, size, stride, offset, divisor = 0) {
  gl.enableVertexAttribArray(place);
  gl.vertexAttribPointer(place, size, gl.FLOAT, false, stride, offset);
  gl.vertexAttribDivisor(place, divisor);
}

function bounds(positions) {
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  positions.forEach((value, index) => {
    low[index % 3] = Math.min(low[index % 3], value);
    high[index % 3] = Math.max(high[index % 3], value);
  });
  return [low, high];
}

// Returns the distance at which a ray enters a box; infinite if it misses the box, or begins inside.
function slab(from, along, [low, high]) {
  let [enter, leave] = [-Infinity, Infinity];
  for (let axis = 0; axis < 3; axis++) {
    const [a, b] = [(low[axis] - from[axis]) / along[axis], (high[axis] - from[axis]) / along[axis]];
    enter = Math.max(enter, Math.min(a, b));
    leave = Math.min(leave, Math.max(a, b));
  }
  return enter <= leave && enter > 0 ? enter : Infinity;
}
