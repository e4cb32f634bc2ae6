// Vectors as arrays of three, quaternions as [x, y, z, w], poses as [x, y, z, qx, qy, qz, qw], and matrices of sixteen
// numbers, column-major as in WebGL.

export const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
export const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const scaled = (a, s) => [a[0] * s, a[1] * s, a[2] * s];
export const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const norm = (a) => Math.hypot(a[0], a[1], a[2]);
export const unit = (a) => scaled(a, 1 / (norm(a) || 1));
export const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];

export function rotate(q, v, at = 0) {
  const [x, y, z, w] = [q[at], q[at + 1], q[at + 2], q[at + 3]];
  const tx = 2 * (y * v[2] - z * v[1]);
  const ty = 2 * (z * v[0] - x * v[2]);
  const tz = 2 * (x * v[1] - y * v[0]);
  return [v[0] + w * tx + y * tz - z * ty, v[1] + w * ty + z * tx - x * tz, v[2] + w * tz + x * ty - y * tx];
}

// Returns pose b, given in the frame of pose a, in the frame of a's parent.
export function compose(a, b) {
  const at = rotate(a, b, 3);
  const [ax, ay, az, aw] = [a[3], a[4], a[5], a[6]];
  const [bx, by, bz, bw] = [b[3], b[4], b[5], b[6]];
  return [
    a[0] + at[0], a[1] + at[1], a[2] + at[2],
    aw * bx + ax * bw + ay * bz - az * by,
    aw * by - ax * bz + ay * bw + az * bx,
    aw * bz + ax * by - ay * bx + az * bw,
    aw * bw - ax * bx - ay * by - az * bz,
  ];
}

export const place = (pose, point) => add(rotate(pose, point, 3), pose);

// Writes a pose with a scale along each axis as a matrix, into `out` at `at`.
export function matrixOf(pose, size, out, at = 0) {
  const [x, y, z, w] = [pose[3], pose[4], pose[5], pose[6]];
  const [sx, sy, sz] = size;
  out[at] = (1 - 2 * (y * y + z * z)) * sx;
  out[at + 1] = 2 * (x * y + w * z) * sx;
  out[at + 2] = 2 * (x * z - w * y) * sx;
  out[at + 3] = 0;
  out[at + 4] = 2 * (x * y - w * z) * sy;
  out[at + 5] = (1 - 2 * (x * x + z * z)) * sy;
  out[at + 6] = 2 * (y * z + w * x) * sy;
  out[at + 7] = 0;
  out[at + 8] = 2 * (x * z + w * y) * sz;
  out[at + 9] = 2 * (y * z - w * x) * sz;
  out[at + 10] = (1 - 2 * (x * x + y * y)) * sz;
  out[at + 11] = 0;
  out[at + 12] = pose[0];
  out[at + 13] = pose[1];
  out[at + 14] = pose[2];
  out[at + 15] = 1;
}

export function multiply(a, b) {
  const out = new Float32Array(16);
  for (let column = 0; column < 4; column++) {
    for (let row = 0; row < 4; row++) {
      let sum = 0;
      for (let k = 0; k < 4; k++) sum += a[k * 4 + row] * b[column * 4 + k];
      out[column * 4 + row] = sum;
    }
  }
  return out;
}

export function perspective(angle, aspect, near, far) {
  const f = 1 / Math.tan(angle / 2);
  const out = new Float32Array(16);
  out[0] = f / aspect;
  out[5] = f;
  out[10] = (far + near) / (near - far);
  out[11] = -1;
  out[14] = (2 * far * near) / (near - far);
  return out;
}

export function orthographic(half, near, far) {
  const out = new Float32Array(16);
  out[0] = 1 / half;
  out[5] = 1 / half;
  out[10] = 2 / (near - far);
  out[14] = (far + near) / (near - far);
  out[15] = 1;
  return out;
}

export function lookAt(eye, target, up) {
  const back = unit(sub(eye, target));
  const right = unit(cross(up, back));
  const top = cross(back, right);
  return new Float32Array([
    right[0], top[0], back[0], 0, right[1], top[1], back[1], 0, right[2], top[2], back[2], 0,
    -dot(right, eye), -dot(top, eye), -dot(back, eye), 1,
  ]);
}

// Returns a point of the world on the screen: x and y from -1 to 1, and its depth; null behind the camera.
export function project(matrix, [x, y, z]) {
  const w = matrix[3] * x + matrix[7] * y + matrix[11] * z + matrix[15];
  if (w <= 0) return null;
  return [
    (matrix[0] * x + matrix[4] * y + matrix[8] * z + matrix[12]) / w,
    (matrix[1] * x + matrix[5] * y + matrix[9] * z + matrix[13]) / w,
    w,
  ];
}

// Returns roll, pitch and yaw of the quaternion in a pose: rotations about x, then y, then z.
export function angles(pose) {
  const [x, y, z, w] = [pose[3], pose[4], pose[5], pose[6]];
  const sine = 2 * (w * y - z * x);
  return [
    Math.atan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y)),
    Math.abs(sine) >= 1 ? Math.sign(sine) * Math.PI / 2 : Math.asin(sine),
    Math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z)),
  ];
}
