// Decodes the binary data of the simulator: lengths, values and frames, little-endian.

const decoder = new TextDecoder();

export class Reader {
  constructor(buffer, at = 0) {
    this.view = new DataView(buffer);
    this.at = at;
  }

  byte() {
    return this.view.getUint8(this.at++);
  }

  f32() {
    this.at += 4;
    return this.view.getFloat32(this.at - 4, true);
  }

  f64() {
    this.at += 8;
    return this.view.getFloat64(this.at - 8, true);
  }

  u32() {
    this.at += 4;
    return this.view.getUint32(this.at - 4, true);
  }

  i16() {
    this.at += 2;
    return this.view.getInt16(this.at - 2, true);
  }

  length() {
    let value = 0;
    let scale = 1;
    for (;;) {
      const byte = this.byte();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      scale *= 128;
    }
  }

  bytes(count) {
    this.at += count;
    return new Uint8Array(this.view.buffer, this.at - count, count);
  }

  text() {
    return decoder.decode(this.bytes(this.length()));
  }

  // Arrays are copied, since their offset need not be aligned.
  floats(count) {
    return new Float32Array(this.bytes(count * 4).slice().buffer);
  }

  value() {
    const what = this.byte();
    switch (what) {
      case 1:
      case 2:
        return this.f64();
      case 3:
        return false;
      case 4:
        return true;
      case 5:
        return this.text();
      case 6:
        return new Float64Array(this.bytes(this.length() * 8).slice().buffer);
      case 7:
        return this.floats(this.length());
      case 8:
        return new Points(this.floats(this.length() * 3));
      case 9:
        return Array.from({ length: this.length() }, () => this.value());
      case 10:
        return new Map(Array.from({ length: this.length() }, () => [this.text(), this.value()]));
      case 11:
        return this.bytes(this.length()).slice();
      default:
        return null;
    }
  }
}

// A list of points, three numbers each.
export class Points {
  constructor(xyz) {
    this.xyz = xyz;
  }

  get length() {
    return this.xyz.length / 3;
  }

  rows() {
    return Array.from({ length: this.length }, (_, row) => [...this.xyz.subarray(3 * row, 3 * row + 3)]);
  }
}

// A frame: its time, the poses of moved bodies, changed lamps, readings, and states of graphs: readings from the channel
// `firstGraph` on.
export function readFrame(buffer, firstGraph = Infinity) {
  const reader = new Reader(buffer);
  if (reader.byte() !== 2) throw new Error("the simulator speaks another version of this page's language");
  const frame = { held: reader.byte() === 1, moved: [], lamps: [], readings: [], graphs: [] };
  reader.at = 4;
  frame.number = reader.u32();
  frame.tick = reader.f64();
  frame.seconds = reader.f64();
  frame.factor = reader.f32();
  frame.measured = reader.f32();
  let body = 0;
  for (let count = reader.length(); count > 0; count--) {
    body += reader.length();
    const pose = [reader.f32(), reader.f32(), reader.f32()];
    for (let element = 0; element < 4; element++) pose.push(reader.i16() / 32767);
    frame.moved.push([body, pose]);
    body += 1;
  }
  let lamp = 0;
  for (let count = reader.length(); count > 0; count--) {
    lamp += reader.length();
    const color = [reader.byte(), reader.byte(), reader.byte()].map((channel) => channel / 255);
    frame.lamps.push([lamp, { color, shine: reader.f32(), distance: reader.f32(), size: reader.f32() }]);
    lamp += 1;
  }
  for (let count = reader.length(); count > 0; count--) {
    const sensor = reader.length();
    const end = reader.length() + reader.at;
    if (sensor >= firstGraph) {
      frame.graphs.push({ graph: sensor - firstGraph, ...readGraph(reader) });
      continue;
    }
    const seconds = reader.f64();
    const values = [];
    while (reader.at < end) values.push(reader.value());
    frame.readings.push({ sensor, seconds, values });
  }
  return frame;
}

const READINESS = ["ready", "busy", "refuses"];

// The state of a graph: the time, the number of its layout, objects and links.
function readGraph(reader) {
  const many = (read) => Array.from({ length: reader.length() }, read);
  return {
    seconds: reader.f64(),
    version: reader.length(),
    nodes: many(() => ({
      queued: reader.length(), longest: reader.length(), handled: reader.length(), overflows: reader.length(), fault: reader.text(),
    })),
    links: many(() => ({
      readiness: READINESS[reader.byte()], queued: reader.length(), delivered: reader.length(), dropped: reader.length(),
      refused: reader.length(),
    })),
  };
}
