// Numbers over simulated time.
import { number } from "./inspector.js";
import { element } from "./tree.js";
import { keyOf, nameOf } from "./world.js";

const SPAN = 30;
const COLORS = ["#1f86a8", "#d0632b", "#5a9a3c", "#9a58b5", "#c2a01f", "#c94f6d", "#3f6fd1", "#7d6a58"];

export class Plot {
  constructor(box, onclear) {
    this.box = box;
    this.legend = element("div", "legend");
    this.canvas = element("canvas");
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", "Plot of the chosen numbers over simulated time");
    this.canvas.addEventListener("pointermove", (event) => (this.pointer = event.offsetX));
    this.canvas.addEventListener("pointerleave", () => (this.pointer = null));
    this.unit = element("span");
    const clear = element("button", "", "Clear");
    clear.addEventListener("click", onclear);
    const scale = element("div", "scale");
    scale.append(this.unit, clear);
    box.append(this.legend, scale, this.canvas);
    this.pointer = null;
    this.key = "";
  }

  // Returns the colour of a plotted number, or null.
  color(world, of, name) {
    const plotted = world.plotted.find((one) => one.name === name && keyOf(one.of) === keyOf(of));
    return plotted ? plotted.color : null;
  }

  // Adds a number to the plot, or removes it.
  toggle(world, of, name, unit) {
    const rest = world.plotted.filter((one) => !(one.name === name && keyOf(one.of) === keyOf(of)));
    if (rest.length < world.plotted.length) world.plotted = rest;
    else {
      const color = COLORS.find((one) => !rest.some((other) => other.color === one)) ?? COLORS[0];
      world.plotted = [...rest, { of, name, unit, color }].slice(-COLORS.length);
    }
  }

  draw(world) {
    this.box.hidden = world.plotted.length === 0;
    if (this.box.hidden) return;
    const lines = world.plotted.map((one) => ({ ...one, series: world.series.get(`${keyOf(one.of)} ${one.name}`) ?? { times: [], values: [] } }));
    const frame = this.frame(world, lines);
    this.drawLegend(lines, frame);
    this.drawLines(lines, frame);
  }

  frame(world, lines) {
    const end = world.now.seconds;
    const begin = Math.max(0, end - SPAN);
    let [low, high] = [Infinity, -Infinity];
    for (const { series } of lines) {
      for (let at = series.times.length - 1; at >= 0 && series.times[at] >= begin; at--) {
        if (!Number.isFinite(series.values[at])) continue;
        low = Math.min(low, series.values[at]);
        high = Math.max(high, series.values[at]);
      }
    }
    if (low > high) [low, high] = [0, 1];
    const least = Math.max(Math.abs(low), Math.abs(high)) * 1e-6 + 1e-9;
    if (high - low < least) [low, high] = [low - Math.max(0.5 * Math.abs(low), 0.1), high + Math.max(0.5 * Math.abs(high), 0.1)];
    const margin = (high - low) * 0.08;
    const [width, height] = [this.canvas.clientWidth, this.canvas.clientHeight];
    const [left, bottom] = [46, 18];
    const [low2, high2] = [low - margin, high + margin];
    return {
      begin, end: Math.max(end, begin + 1), low: low2, high: high2, width, height, left, bottom,
      x: (time) => left + ((time - begin) / Math.max(end - begin, 1)) * (width - left - 4),
      y: (value) => (height - bottom) - ((value - low2) / (high2 - low2)) * (height - bottom - 4),
    };
  }

  drawLegend(lines, frame) {
    const key = lines.map((one) => one.color + keyOf(one.of) + one.name).join();
    if (key !== this.key) {
      this.key = key;
      // A common unit is shown at the axis, several units at the names.
      const units = new Set(lines.map((one) => one.unit ?? ""));
      this.unit.textContent = units.size === 1 ? [...units][0] : "";
      const unitOf = (one) => (units.size > 1 && one.unit ? ` (${one.unit})` : "");
      this.values = lines.map((one) => {
        const item = element("span");
        const dash = element("i");
        dash.style.background = one.color;
        const value = element("b");
        item.append(dash, element("span", "", `${nameOf(one.of)} ${one.name}${unitOf(one)}`), value);
        return { item, value };
      });
      this.legend.replaceChildren(...this.values.map(({ item }) => item));
    }
    lines.forEach(({ series }, index) => {
      const at = this.pointer === null ? series.times.length - 1 : nearest(series.times, frame, this.pointer);
      this.values[index].value.textContent = at >= 0 && at < series.values.length ? number(series.values[at]) : "";
    });
  }

  drawLines(lines, frame) {
    const { canvas } = this;
    const ratio = devicePixelRatio;
    const size = [Math.round(frame.width * ratio), Math.round(frame.height * ratio)];
    if (canvas.width !== size[0]) canvas.width = size[0];
    if (canvas.height !== size[1]) canvas.height = size[1];
    const context = canvas.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, frame.width, frame.height);
    const style = getComputedStyle(canvas);
    context.font = `11px ${style.getPropertyValue("--font")}`;
    this.drawScale(context, frame, style);
    context.save();
    context.beginPath();
    context.rect(frame.left, 0, frame.width - frame.left, frame.height - frame.bottom + 1);
    context.clip();
    context.lineWidth = 1.5;
    context.lineJoin = "round";
    for (const { series, color } of lines) {
      context.strokeStyle = color;
      context.beginPath();
      const first = Math.max(0, series.times.findIndex((time) => time >= frame.begin) - 1);
      for (let at = first; at < series.times.length; at++) {
        const [x, y] = [frame.x(series.times[at]), frame.y(series.values[at])];
        if (Number.isFinite(y)) context.lineTo(x, y);
      }
      context.stroke();
    }
    if (this.pointer !== null) {
      context.strokeStyle = style.getPropertyValue("--faint");
      context.lineWidth = 1;
      context.beginPath();
      context.moveTo(this.pointer, 0);
      context.lineTo(this.pointer, frame.height);
      context.stroke();
    }
    context.restore();
  }

  drawScale(context, frame, style) {
    context.strokeStyle = style.getPropertyValue("--line");
    context.fillStyle = style.getPropertyValue("--faint");
    context.lineWidth = 1;
    context.textAlign = "right";
    context.textBaseline = "middle";
    for (const value of ticks(frame.low, frame.high, 4)) {
      const y = Math.round(frame.y(value)) + 0.5;
      stroke(context, frame.left, y, frame.width, y);
      context.fillText(short(value), frame.left - 6, y);
    }
    context.textAlign = "center";
    context.textBaseline = "alphabetic";
    for (const time of ticks(frame.begin, frame.end, 5)) {
      const x = frame.x(time);
      if (x < frame.left || x > frame.width - 12) continue;
      context.fillText(`${short(time)} s`, x, frame.height - 4);
    }
  }
}

function stroke(context, x0, y0, x1, y1) {
  context.beginPath();
  context.moveTo(x0, y0);
  context.lineTo(x1, y1);
  context.stroke();
}

const short = (value) => String(Number(value.toPrecision(4))).replace("-", "−");

// Returns about a given count of round numbers between two others.
function ticks(low, high, about) {
  const rough = (high - low) / about;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((factor) => factor >= rough);
  const numbers = [];
  for (let value = Math.ceil(low / step) * step; value <= high; value += step) numbers.push(value);
  return numbers;
}

function nearest(times, frame, x) {
  let best = -1;
  times.forEach((time, at) => {
    if (best < 0 || Math.abs(frame.x(time) - x) < Math.abs(frame.x(times[best]) - x)) best = at;
  });
  return best;
}
