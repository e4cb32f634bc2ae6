// Data of the selected object: numbers with their units, long lists as strips, images as images.
import { element } from "./tree.js";
import { Points } from "./values.js";
import { keyOf, nameOf } from "./world.js";

export class Inspector {
  constructor(box, onpick) {
    this.box = box;
    this.onpick = onpick;
    this.shape = null;
  }

  // Shows the current data; `seriesColor` returns the colour of a plotted number.
  draw(world, seriesColor) {
    const of = world.selected;
    if (!of) return this.drawNothing(world);
    const rows = world.rowsOf(of);
    const shape = JSON.stringify([keyOf(of), rows.map((row) => [row.name, kindOf(row.value)])]);
    if (shape !== this.shape) this.build(world, of, rows);
    this.shape = shape;
    const image = imageOf(rows);
    rows.forEach((row, index) => {
      const { value, pick, canvas } = this.cells[index];
      if (value) value.textContent = textOf(row.value);
      if (canvas && row.value !== image?.data) drawStrip(canvas, row.value);
      if (canvas) canvas.hidden = row.value === image?.data;
      if (pick) {
        const color = seriesColor(of, row.name);
        pick.setAttribute("aria-pressed", Boolean(color));
        if (color) pick.style.setProperty("--series", color);
      }
    });
    this.image.hidden = !image;
    if (image) drawImage(this.image, image);
  }

  drawNothing(world) {
    if (this.shape === "nothing") return;
    this.shape = "nothing";
    const { robots, components, bodies } = world.scene ?? { robots: [], components: [], bodies: [] };
    this.box.replaceChildren(
      element("h2", "", "Nothing is selected"),
      element("p", "hint", `${count(robots, "robot")}, ${count(components, "component")}, ${bodies.length} ${bodies.length === 1 ? "body" : "bodies"}. Select one in the tree or in the view.`),
    );
  }

  build(world, of, rows) {
    const component = of.component && world.components.get(of.component);
    const about = element("p", "about");
    const words = component ? [component.kind, component.role, component.level, `${number(component.frequency)} Hz`]
      : of.robot ? ["robot"] : ["body", world.scene.bodies[world.bodies.get(of.body)].kind];
    about.append(...words.filter(Boolean).map((word) => element("span", "", word)));
    this.image = element("canvas", "image");
    this.image.hidden = true;
    this.image.setAttribute("role", "img");
    this.image.setAttribute("aria-label", `The image of ${nameOf(of)}`);
    this.cells = [];
    const sections = ["data", "pose"].map((group) => this.section(group, of, rows, component));
    this.box.replaceChildren(element("h2", "", nameOf(of)), about, this.image, ...sections.filter(Boolean));
  }

  section(group, of, rows, component) {
    const own = rows.filter((row) => row.group === group);
    if (own.length === 0 && (group === "pose" || component?.role !== "sensor")) return null;
    const section = element("section");
    section.append(element("h3", "", group === "data" ? "Data" : "Pose in the world"));
    if (own.length === 0) {
      section.append(element("p", "hint", "Nothing was measured yet."));
      return section;
    }
    const table = element("table");
    for (const row of own) {
      const cells = this.row(of, row);
      this.cells[rows.indexOf(row)] = cells;
      table.append(cells.line);
      if (cells.below) table.append(cells.below);
    }
    section.append(table);
    return section;
  }

  row(of, row) {
    const line = element("tr");
    const name = element("td");
    const label = row.name.replace(/^pose\./, "");
    const cells = { line };
    if (typeof row.value === "number") {
      cells.pick = element("button", "pick", label);
      cells.pick.addEventListener("click", () => this.onpick(of, row.name, row.unit));
      name.append(cells.pick);
    } else {
      name.append(element("span", "fixed", label));
    }
    name.title = row.docs ? `${row.docs} Click to plot it.` : "Click to plot it";
    if (typeof row.value !== "number") name.title = row.docs ?? "";
    cells.value = element("td", typeof row.value === "number" ? "value number" : "value");
    line.append(name, cells.value, element("td", "unit", row.unit ?? ""));
    if (isStrip(row.value)) {
      cells.below = element("tr");
      const cell = element("td");
      cell.colSpan = 3;
      cells.canvas = element("canvas");
      cells.canvas.height = 44;
      cell.append(cells.canvas);
      cells.below.append(cell);
    }
    return cells;
  }
}

const count = (list, word) => `${list.length} ${word}${list.length === 1 ? "" : "s"}`;
const isStrip = (value) => (value instanceof Float32Array || value instanceof Float64Array) && value.length > 16;

function kindOf(value) {
  if (typeof value === "number") return "number";
  return isStrip(value) ? "strip" : "other";
}

export function number(value) {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "NaN" : value > 0 ? "∞" : "−∞";
  if (Number.isInteger(value) && Math.abs(value) < 1e9) return String(value).replace("-", "−");
  const size = Math.abs(value);
  const text = size !== 0 && (size >= 1e7 || size < 1e-4) ? value.toExponential(3) : value.toFixed(size >= 1000 ? 2 : 4);
  return text.replace("-", "−");
}

const short = (value) => String(Number(value.toPrecision(4))).replace("-", "−");

function textOf(value) {
  if (typeof value === "number") return number(value);
  if (value === null || value === undefined) return "–";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (value instanceof Points) return value.length > 4 ? `${value.length} points` : value.rows().map((row) => row.map(short).join(", ")).join("; ");
  if (isStrip(value)) {
    const finite = value.filter(Number.isFinite);
    const ends = finite.length ? ` × ${short(finite.reduce((a, b) => Math.min(a, b)))} … ${short(finite.reduce((a, b) => Math.max(a, b)))}` : "";
    return `${value.length}${ends}`;
  }
  if (value instanceof Uint8Array) return `${value.length} bytes`;
  if (Array.isArray(value)) return value.length ? value.map(textOf).join(", ") : "none";
  return String(value);
}

function drawStrip(canvas, values) {
  const ratio = devicePixelRatio;
  const [width, height] = [Math.max(1, canvas.clientWidth), 44];
  if (canvas.width !== Math.round(width * ratio)) canvas.width = Math.round(width * ratio);
  if (canvas.height !== height * ratio) canvas.height = height * ratio;
  const context = canvas.getContext("2d");
  const style = getComputedStyle(canvas);
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  const finite = values.filter(Number.isFinite);
  const low = finite.reduce((a, b) => Math.min(a, b), 0);
  const high = finite.reduce((a, b) => Math.max(a, b), low + 1e-9);
  context.fillStyle = style.getPropertyValue("--accent");
  context.globalAlpha = 0.75;
  context.beginPath();
  context.moveTo(0, height);
  values.forEach((value, index) => {
    const y = height - (Number.isFinite(value) ? (value - low) / (high - low) : 1) * (height - 1);
    context.lineTo((index / values.length) * width, y);
    context.lineTo(((index + 1) / values.length) * width, y);
  });
  context.lineTo(width, height);
  context.fill();
}

// Returns width, height and pixels, if a reading has them.
function imageOf(rows) {
  const of = (name) => rows.find((row) => row.name === name)?.value;
  const [width, height] = [of("width"), of("height")];
  if (!(width > 0 && height > 0)) return null;
  const isImage = (value) => {
    const count = (value instanceof Uint8Array || isStrip(value)) && value.length / (width * height);
    return [1, 3, 4].includes(count);
  };
  const data = rows.map((row) => row.value).find(isImage);
  return data ? { width, height, data, channels: data.length / (width * height) } : null;
}

function drawImage(canvas, { width, height, data, channels }) {
  if (canvas.width !== width) canvas.width = width;
  if (canvas.height !== height) canvas.height = height;
  const context = canvas.getContext("2d");
  const image = context.createImageData(width, height);
  const pixels = data instanceof Uint8Array ? data : greys(data);
  for (let at = 0; at < width * height; at++) {
    for (let channel = 0; channel < 3; channel++) image.data[at * 4 + channel] = pixels[at * channels + (channels === 1 ? 0 : channel)];
    image.data[at * 4 + 3] = 255;
  }
  context.putImageData(image, 0, 0);
}

// Converts distances to grey levels: near is bright, infinite distances are black.
function greys(values) {
  const finite = values.filter(Number.isFinite);
  const low = finite.reduce((a, b) => Math.min(a, b), Infinity);
  const span = finite.reduce((a, b) => Math.max(a, b), -Infinity) - low || 1;
  return Uint8Array.from(values, (value) => (Number.isFinite(value) ? 255 - ((value - low) / span) * 215 : 0));
}
