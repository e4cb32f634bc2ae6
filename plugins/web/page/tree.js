// Tree of robots, their components, and other bodies, with a search.
import { keyOf } from "./world.js";

export class Tree {
  constructor(box, search, onselect) {
    Object.assign(this, { box, search, onselect });
    this.open = new Set();
    this.rows = [];
    search.addEventListener("input", () => this.draw());
    search.addEventListener("keydown", (event) => {
      if (event.key === "ArrowDown" || event.key === "Enter") {
        event.preventDefault();
        box.focus();
        this.move(0);
      }
    });
    box.addEventListener("keydown", (event) => this.key(event));
  }

  setScene(scene) {
    // Natural order: "2" before "10".
    const byName = (one, other) => one.name.localeCompare(other.name, undefined, { numeric: true });
    this.groups = [...scene.robots].sort(byName).map((robot) => ({
      key: `robot:${robot.name}`, name: robot.name, of: { robot: robot.name },
      entries: scene.components.filter((one) => one.robot === robot.name).map((one) => ({
        key: `component:${one.path}`, name: one.path.startsWith(`${robot.name}.`) ? one.path.slice(robot.name.length + 1) : one.path,
        kind: one.kind, role: one.role, of: { component: one.path },
      })),
    }));
    const others = (kinds) => scene.bodies.filter((body) => !body.robot && kinds.includes(body.kind)).map((body) => ({
      key: `body:${body.name}`, name: body.name, of: { body: body.name },
    })).sort(byName);
    for (const [name, kinds] of [["Movable bodies", ["dynamic", "kinematic"]], ["Fixed bodies", ["fixed"]]]) {
      const entries = others(kinds);
      if (entries.length > 0) this.groups.push({ key: `group:${name}`, name, entries, kind: String(entries.length) });
    }
    if (scene.robots.length <= 4) scene.robots.forEach((robot) => this.open.add(`robot:${robot.name}`));
    this.draw();
  }

  select(of) {
    this.selected = of ? keyOf(of) : null;
    const group = this.groups?.find((one) => one.entries.some((entry) => entry.key === this.selected));
    if (group) this.open.add(group.key);
    this.draw();
    this.box.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
  }

  draw() {
    const words = this.search.value.trim().toLowerCase();
    const fits = ({ name, kind }) => name.toLowerCase().includes(words) || kind?.toLowerCase().includes(words);
    this.rows = [];
    for (const group of this.groups ?? []) {
      const matches = words ? group.entries.filter(fits) : group.entries;
      if (words && matches.length === 0 && !fits(group)) continue;
      const entries = words && matches.length === 0 ? [] : matches;
      const isOpen = words ? matches.length > 0 : this.open.has(group.key);
      this.rows.push({ ...group, level: 1, isOpen, isGroup: group.entries.length > 0 });
      if (isOpen) this.rows.push(...entries.map((entry) => ({ ...entry, level: 2 })));
    }
    this.box.replaceChildren(...this.rows.map((row, index) => this.rowOf(row, index, words)));
    if (this.rows.length === 0) {
      const empty = document.createElement("p");
      empty.className = "empty";
      empty.textContent = words ? "Nothing is called that." : "There is nothing here.";
      this.box.append(empty);
    }
  }

  rowOf(row, index, words) {
    const box = element("div", "row");
    box.id = `row-${index}`;
    box.setAttribute("role", "treeitem");
    box.setAttribute("aria-level", row.level);
    box.setAttribute("aria-selected", row.key === this.selected);
    box.style.paddingLeft = `${row.level * 12 - 6}px`;
    const twist = element("span", "twist", row.isGroup ? "▶" : "");
    if (row.isGroup) {
      box.setAttribute("aria-expanded", row.isOpen);
      twist.addEventListener("click", (event) => {
        event.stopPropagation();
        this.toggle(row);
      });
    }
    const name = element("span", "text");
    name.append(...marked(row.name, words));
    box.append(twist, ...(row.role ? [element("span", `dot ${row.role}`)] : []), name);
    box.title = row.role ? `${row.name}: ${row.role}, ${row.kind}` : row.name;
    if (row.kind) box.append(element("span", "kind", row.kind));
    box.addEventListener("click", () => (row.of ? this.onselect(row.of) : this.toggle(row)));
    box.addEventListener("dblclick", () => row.isGroup && row.of && this.toggle(row));
    if (row.key === this.selected) this.box.setAttribute("aria-activedescendant", box.id);
    return box;
  }

  toggle({ key }) {
    if (!this.open.delete(key)) this.open.add(key);
    this.draw();
  }

  move(by) {
    const rows = this.rows.filter((row) => row.of);
    const at = rows.findIndex((row) => row.key === this.selected);
    const row = rows[Math.min(Math.max(at + by, 0), rows.length - 1)];
    if (row) this.onselect(row.of);
  }

  key(event) {
    const row = this.rows.find((one) => one.key === this.selected);
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -1e6, End: 1e6 };
    if (event.key in steps) this.move(steps[event.key]);
    else if (event.key === "ArrowRight" && row?.isGroup && !row.isOpen) this.toggle(row);
    else if (event.key === "ArrowLeft" && row?.isGroup && row.isOpen) this.toggle(row);
    else if (event.key === "Enter" && row?.isGroup) this.toggle(row);
    else return;
    event.preventDefault();
  }
}

export function element(tag, name, text) {
  const made = document.createElement(tag);
  if (name) made.className = name;
  if (text !== undefined) made.textContent = text;
  return made;
}

function marked(text, words) {
  const at = words ? text.toLowerCase().indexOf(words) : -1;
  if (at < 0) return [text];
  return [text.slice(0, at), element("mark", "", text.slice(at, at + words.length)), text.slice(at + words.length)];
}
