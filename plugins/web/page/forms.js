// Triangles of shapes. Shapes that differ in their scale along the axes alone share them.

const AROUND = 40;

// Returns the geometry of a shape: a key of its triangles, their generator, and the scale along each axis.
export function formOf(form, meshes) {
  if (form.box) return { key: "box", size: form.box, make: box };
  if (form.sphere !== undefined) return { key: "sphere", size: [form.sphere, form.sphere, form.sphere], make: sphere };
  if (form.cone) {
    const [start, end, height] = form.cone;
    const widest = Math.max(start, end) || 1;
    const [a, b] = [start / widest, end / widest];
    return { key: `cone ${a.toFixed(4)} ${b.toFixed(4)}`, size: [widest, widest, height || 1e-6], make: () => cone(a, b) };
  }
  if (form.capsule) {
    const [radius, height] = form.capsule;
    const length = height / (radius || 1);
    return { key: `capsule ${length.toFixed(4)}`, size: [radius, radius, radius], make: () => capsule(length) };
  }
  if (form.grid) return { key: `grid ${form.grid}`, size: [1, 1, 1], make: () => grid(form.grid) };
  return { key: `mesh ${form.mesh}`, size: [form.scale, form.scale, form.scale], make: () => faceted(meshes[form.mesh]) };
}

class Builder {
  positions = [];
  normals = [];
  indices = [];

  point(position, normal) {
    this.positions.push(...position);
    this.normals.push(...normal);
    return this.positions.length / 3 - 1;
  }

  done() {
    return {
      positions: new Float32Array(this.positions),
      normals: new Float32Array(this.normals),
      indices: new Uint32Array(this.indices),
    };
  }
}

function box() {
  const builder = new Builder();
  for (let axis = 0; axis < 3; axis++) {
    for (const side of [-0.5, 0.5]) {
      const corner = (u, v) => {
        const position = [0, 0, 0];
        const normal = [0, 0, 0];
        position[axis] = side;
        position[(axis + 1) % 3] = u;
        position[(axis + 2) % 3] = v;
        normal[axis] = Math.sign(side);
        return builder.point(position, normal);
      };
      const [a, b, c, d] = [corner(-0.5, -0.5), corner(0.5, -0.5), corner(0.5, 0.5), corner(-0.5, 0.5)];
      builder.indices.push(a, b, c, a, c, d);
    }
  }
  return builder.done();
}

// Returns a surface of revolution about z. Each ring is [radius, z, normal outwards, normal upwards].
function turned(rings) {
  const builder = new Builder();
  rings.forEach(([radius, z, out, up], ring) => {
    for (let step = 0; step <= AROUND; step++) {
      const angle = (step / AROUND) * 2 * Math.PI;
      const [c, s] = [Math.cos(angle), Math.sin(angle)];
      builder.point([radius * c, radius * s, z], [out * c, out * s, up]);
    }
    if (ring === 0 || rings[ring].breaks) return;
    const [below, here] = [(ring - 1) * (AROUND + 1), ring * (AROUND + 1)];
    for (let step = 0; step < AROUND; step++) {
      builder.indices.push(below + step, below + step + 1, here + step + 1, below + step, here + step + 1, here + step);
    }
  });
  return builder.done();
}

// Returns half a sphere about z = `z`, from one pole or to the other.
function cap(from, to, z) {
  const rings = [];
  for (let step = 0; step <= 12; step++) {
    const angle = from + ((to - from) * step) / 12;
    rings.push([Math.cos(angle), Math.sin(angle) + z, Math.cos(angle), Math.sin(angle)]);
  }
  return rings;
}

const sphere = () => turned([...cap(-Math.PI / 2, 0, 0), ...cap(0, Math.PI / 2, 0)]);

// A negative height is the same capsule, seen from its other end.
function capsule(length) {
  const [low, high] = length < 0 ? [length, 0] : [0, length];
  return turned([...cap(-Math.PI / 2, 0, low), ...cap(0, Math.PI / 2, high)]);
}

function cone(start, end) {
  const slope = start - end;
  const steep = Math.hypot(1, slope);
  const edge = (ring) => Object.assign(ring, { breaks: true });
  return turned([
    [0, 0, 0, -1],
    [start, 0, 0, -1],
    edge([start, 0, 1 / steep, slope / steep]),
    [end, 1, 1 / steep, slope / steep],
    edge([end, 1, 0, 1]),
    [0, 1, 0, 1],
  ]);
}

function grid([width, depth, stepX, stepY, thickness]) {
  const builder = new Builder();
  const line = (x0, y0, x1, y1) => {
    const [a, b, c, d] = [[x0, y0], [x1, y0], [x1, y1], [x0, y1]].map(([x, y]) => builder.point([x, y, 0], [0, 0, 1]));
    builder.indices.push(a, b, c, a, c, d);
  };
  const half = thickness / 2;
  for (let x = 0; stepX > 0 && x <= width + 1e-9; x += stepX) {
    for (const at of x === 0 ? [0] : [-x, x]) line(at - half, -depth, at + half, depth);
  }
  for (let y = 0; stepY > 0 && y <= depth + 1e-9; y += stepY) {
    for (const at of y === 0 ? [0] : [-y, y]) line(-width, at - half, width, at + half);
  }
  return builder.done();
}

// Returns the triangles of a file: edges between faces at an angle below 40 degrees are smooth.
function faceted({ vertices, faces, parts }) {
  const corners = new Map();
  const normals = [];
  const key = (vertex) => `${vertices[vertex * 3]},${vertices[vertex * 3 + 1]},${vertices[vertex * 3 + 2]}`;
  for (let face = 0; face < faces.length / 3; face++) {
    const [a, b, c] = [0, 1, 2].map((corner) => vertices.subarray(faces[face * 3 + corner] * 3, faces[face * 3 + corner] * 3 + 3));
    const u = [b[0] - a[0], b[1] - a[1], b[2] - a[2]];
    const v = [c[0] - a[0], c[1] - a[1], c[2] - a[2]];
    const normal = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
    const length = Math.hypot(...normal) || 1;
    normals.push({ normal, unit: normal.map((coordinate) => coordinate / length) });
    for (let corner = 0; corner < 3; corner++) {
      const at = key(faces[face * 3 + corner]);
      if (!corners.has(at)) corners.set(at, []);
      corners.get(at).push(face);
    }
  }
  const builder = new Builder();
  for (let face = 0; face < faces.length / 3; face++) {
    const own = normals[face].unit;
    for (let corner = 0; corner < 3; corner++) {
      const vertex = faces[face * 3 + corner];
      const sum = [0, 0, 0];
      for (const other of corners.get(key(vertex))) {
        const { normal, unit } = normals[other];
        if (own[0] * unit[0] + own[1] * unit[1] + own[2] * unit[2] < 0.766) continue;
        for (let axis = 0; axis < 3; axis++) sum[axis] += normal[axis];
      }
      const length = Math.hypot(...sum) || 1;
      const position = [vertices[vertex * 3], vertices[vertex * 3 + 1], vertices[vertex * 3 + 2]];
      builder.indices.push(builder.point(position, length > 0 ? sum.map((coordinate) => coordinate / length) : own));
    }
  }
  return { ...builder.done(), paints: paints(faces.length, parts) };
}

// Returns the own colours of vertices, each with its weight: 0 where the colour of the shape applies.
function paints(vertices, parts) {
  if (parts.length === 0) return null;
  const paints = new Float32Array(vertices * 4);
  for (const { start, end, color } of parts) {
    for (let vertex = start * 3; vertex < end * 3; vertex++) paints.set([...color, 1], vertex * 4);
  }
  return paints;
}

// Decodes the triangles of a mesh: counts, vertices, faces, and parts with colours of their own.
export function readMesh(buffer) {
  const [vertices, faces, count] = new Uint32Array(buffer, 0, 3);
  const first = 12 + (vertices + faces) * 12;
  const parts = Array.from({ length: count }, (_, part) => {
    const [start, end] = new Uint32Array(buffer, first + part * 20, 2);
    return { start, end, color: [...new Float32Array(buffer, first + part * 20 + 8, 3)] };
  });
  return {
    vertices: new Float32Array(buffer, 12, vertices * 3),
    faces: new Uint32Array(buffer, 12 + vertices * 12, faces * 3),
    parts,
  };
}
