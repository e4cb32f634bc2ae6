// Buttons, keys, layers and the theme.
import { element } from "./tree.js";

const ICONS = {
  pause: "M4 2.5h3v11H4zM9 2.5h3v11H9z",
  play: "M4 2.2v11.6L13.5 8z",
  step: "M3 2.5v11L9.5 8zM10.5 2.5h2.5v11h-2.5z",
  reset: "M8 3a5 5 0 1 1-4.9 6h1.6A3.5 3.5 0 1 0 8 4.5c-1 0-1.9.4-2.5 1L7.3 7.3H2.6V2.6L4.4 4.4A5 5 0 0 1 8 3z",
  theme: "M8 1.5a6.5 6.5 0 1 0 0 13a6.5 6.5 0 0 0 0-13zm0 1.6v9.8a4.9 4.9 0 0 1 0-9.8z",
};

export const LAYERS = [
  ["grid", "Grid", "g", true], ["labels", "Labels", "n", true], ["points", "Scans", "l", true], ["rays", "Rays", "y", false],
  ["trails", "Trails", "t", false], ["axes", "Frames", "a", false], ["objects", "Objects", "o", false],
];

const KEYS = [
  ["Space", "pause, or go on"], [".", "one tick"], ["Shift R", "back to the start"], ["[  ]", "slower, faster"],
  ["F", "follow what is selected"], ["0", "the first view"], ["← ↑ → ↓", "turn the view"], ["+  −", "zoom"],
  ...LAYERS.map(([, name, key]) => [key.toUpperCase(), `show or hide ${name.toLowerCase()}`]),
  ["/", "search"], ["Esc", "select nothing"], ["D", "dark or light"], ["?", "these keys"],
];

export const get = (id) => document.getElementById(id);

function icon(button, name) {
  if (button.dataset.icon === name) return;
  button.dataset.icon = name;
  const space = "http://www.w3.org/2000/svg";
  const picture = document.createElementNS(space, "svg");
  const path = document.createElementNS(space, "path");
  picture.setAttribute("viewBox", "0 0 16 16");
  picture.setAttribute("aria-hidden", "true");
  path.setAttribute("fill-rule", "evenodd");
  path.setAttribute("d", ICONS[name]);
  picture.append(path);
  button.replaceChildren(picture);
}

export class Controls {
  // `act` has the callbacks play(), step(), reset(), speed(factor), follow(), home(), deselect(), layers().
  constructor(act) {
    this.act = act;
    this.layers = Object.fromEntries(LAYERS.map(([key, , , isOn]) => [key, isOn]));
    for (const name of ["play", "step", "reset", "theme"]) icon(get(name), name);
    get("play").addEventListener("click", act.play);
    get("step").addEventListener("click", act.step);
    get("reset").addEventListener("click", act.reset);
    get("speed").addEventListener("change", (event) => act.speed(Number(event.target.value)));
    get("theme").addEventListener("click", () => this.turnTheme());
    get("help").addEventListener("click", () => get("keys").showModal());
    for (const [keys, meaning] of KEYS) {
      const term = element("dt");
      term.append(...keys.split(/ +/).map((key) => element("kbd", "", key)).flatMap((key) => [key, " "]));
      get("key-list").append(term, element("dd", "", meaning));
    }
    this.makeLayers();
    this.setTheme(localStorage.getItem("theme"));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.setTheme(localStorage.getItem("theme")));
    document.addEventListener("keydown", (event) => this.key(event));
  }

  makeLayers() {
    this.buttons = new Map();
    for (const [key, name, letter] of LAYERS) {
      const button = element("button", "", name);
      button.title = `${name} (${letter.toUpperCase()})`;
      button.setAttribute("aria-pressed", this.layers[key]);
      button.addEventListener("click", () => this.toggle(key));
      this.buttons.set(key, button);
      get("layers").append(button);
    }
  }

  // Hides or offers a layer that not all scenes have.
  offer(key, isOffered) {
    this.buttons.get(key).hidden = !isOffered;
    if (!isOffered && this.layers[key]) this.toggle(key);
  }

  toggle(key) {
    this.layers[key] = !this.layers[key];
    this.buttons.get(key).setAttribute("aria-pressed", this.layers[key]);
    this.act.layers();
  }

  setTheme(wanted) {
    const isDark = wanted ? wanted === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    this.theme = isDark ? "dark" : "light";
    document.documentElement.dataset.theme = this.theme;
    this.act.layers();
  }

  turnTheme() {
    const theme = this.theme === "dark" ? "light" : "dark";
    localStorage.setItem("theme", theme);
    this.setTheme(theme);
  }

  // Changes the speed by one step.
  shift(by) {
    const select = get("speed");
    const index = Math.min(Math.max(select.selectedIndex + by, 0), select.options.length - 1);
    if (index === select.selectedIndex) return;
    select.selectedIndex = index;
    this.act.speed(Number(select.value));
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || get("keys").open) return;
    const isTyping = event.target.matches("input, select, textarea");
    if (event.key === "Escape") {
      if (isTyping) {
        if (event.target.value && event.target.id === "search") {
          event.target.value = "";
          event.target.dispatchEvent(new Event("input"));
        }
        event.target.blur();
      } else this.act.deselect();
      return;
    }
    if (isTyping || (event.key === " " && event.target.matches("button"))) return;
    const layer = LAYERS.find(([name, , key]) => key === event.key.toLowerCase() && !event.shiftKey && !this.buttons.get(name).hidden);
    const acts = {
      " ": this.act.play, ".": this.act.step, R: this.act.reset, "[": () => this.shift(-1), "]": () => this.shift(1),
      f: this.act.follow, 0: this.act.home, d: () => this.turnTheme(), "?": () => get("keys").showModal(),
      "/": () => get("search").focus(),
    };
    const act = layer ? () => this.toggle(layer[0]) : acts[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }

  // Shows the speed of the simulation.
  draw(now) {
    get("time").textContent = clock(now.seconds);
    get("tick").textContent = now.tick;
    get("measured").textContent = now.held ? "held" : now.measured === 0 ? "–" : `${now.measured.toFixed(now.measured < 10 ? 2 : 0)}×`;
    icon(get("play"), now.held ? "play" : "pause");
    get("play").setAttribute("aria-label", now.held ? "Go on" : "Pause");
    const select = get("speed");
    if (document.activeElement === select) return;
    const options = [...select.options];
    let same = options.find((option) => Number(option.value) === now.factor || Math.abs(Number(option.value) / now.factor - 1) < 1e-4);
    if (!same) {
      options.filter((option) => option.dataset.own).forEach((option) => option.remove());
      same = new Option(`${Number(now.factor.toPrecision(3))}×`, now.factor);
      same.dataset.own = "yes";
      select.append(same);
    }
    same.selected = true;
  }

  state(word) {
    const words = { live: "connected", lost: "no connection", connecting: "connecting" };
    const badge = get("connection");
    badge.textContent = words[word];
    badge.dataset.state = word;
    for (const id of ["play", "step", "reset", "speed"]) get(id).disabled = word !== "live";
  }

  notice(text) {
    get("notice").textContent = text;
    get("notice").hidden = !text;
    clearTimeout(this.later);
    if (text) this.later = setTimeout(() => this.notice(""), 6000);
  }
}

function clock(seconds) {
  const whole = Math.floor(seconds / 60);
  if (whole === 0) return `${seconds.toFixed(3)} s`;
  const two = (number) => String(number).padStart(2, "0");
  const rest = (seconds % 60).toFixed(2).padStart(5, "0");
  return whole < 60 ? `${whole}:${rest}` : `${Math.floor(whole / 60)}:${two(whole % 60)}:${rest}`;
}
