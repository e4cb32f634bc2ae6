// Panel with the objects of a middleware and their links: readiness, queues and drops, as they change.
import { SIZE, arrange, curve } from "./graph.js";
import { element } from "./tree.js";

const SPACE = "http://www.w3.org/2000/svg";
// Largest number of links that are drawn; of more, those with the most losses.
const MOST_LINKS = 1500;
const WORDS = { ready: "ready", busy: "not ready yet", refuses: "refuses data" };
const WORST = ["ready", "busy", "refuses"];

export class Objects {
  // `onselect` receives the path of a component.
  constructor(box, onselect) {
    Object.assign(this, { box, onselect });
    this.open = new Set();
    this.heads = element("div", "heads");
    this.picture = shape("svg", { role: "img", "aria-label": "Objects and links" });
    this.legend = element("p", "legend");
    for (const word of WORST) this.legend.append(element("i", word), element("span", "", WORDS[word]));
    this.legend.append(element("span", "", "• queue of data"), element("span", "loss", "−  dropped data"));
    this.scroll = element("div", "scroll");
    this.scroll.append(this.picture);
    box.append(this.heads, this.scroll, this.legend);
    this.setScene({ graphs: [] });
  }

  // Sets the middlewares of a scene that run objects.
  setScene({ graphs }) {
    this.graphs = graphs.map(({ name }) => ({ name }));
    this.shown = 0;
    this.isStale = true;
    this.heads.replaceChildren(...this.graphs.map(({ name }, index) => {
      const head = element("button", "", name);
      head.setAttribute("aria-pressed", index === 0);
      head.addEventListener("click", () => this.show(index));
      return head;
    }));
    this.heads.hidden = this.graphs.length < 2;
  }

  names() {
    return this.graphs.map(({ name }) => name);
  }

  show(index) {
    this.shown = index;
    [...this.heads.children].forEach((head, other) => head.setAttribute("aria-pressed", other === index));
    this.isStale = true;
  }

  // Takes a state; loads the layout if it is another one.
  async take({ graph: index, ...state }) {
    const graph = this.graphs[index];
    if (!graph) return;
    graph.before = graph.state?.version === state.version ? graph.state : null;
    graph.state = state;
    this.isStale = true;
    if (graph.layout?.version === state.version || graph.isLoading) return;
    graph.isLoading = true;
    try {
      const answer = await fetch(`/graph/${index}`, { cache: "no-store" });
      graph.layout = await answer.json();
      graph.drawing = null;
      this.isStale = true;
    } finally {
      graph.isLoading = false;
    }
  }

  draw() {
    const graph = this.graphs[this.shown];
    if (!this.isStale || this.box.hidden || !graph?.layout || graph.state?.version !== graph.layout.version) return;
    this.isStale = false;
    if (!graph.drawing || this.drawn !== graph) this.build(graph);
    this.drawn = graph;
    const { state, before } = graph;
    for (const edge of graph.drawing.edges) this.drawEdge(graph, edge, state, before);
    for (const box of graph.drawing.boxes) this.drawBox(graph, box, state);
  }

  // Creates the elements of a graph.
  build(graph) {
    const links = chosen(graph);
    const plan = arrange({ nodes: graph.layout.nodes, links: links.map((index) => graph.layout.links[index]) }, this.open);
    const [lines, boxes] = [shape("g"), shape("g")];
    this.picture.setAttribute("viewBox", `0 0 ${plan.width} ${plan.height}`);
    // It fills the panel, but is not larger than the rest of the page, nor too small to be read.
    this.picture.style.maxWidth = `${plan.width * 1.1}px`;
    this.picture.style.minHeight = `${plan.height * 0.6}px`;
    for (const [lane, edge] of plan.edges.entries()) {
      edge.links = edge.links.map((index) => links[index]);
      const { path, at } = curve(edge, plan.boxes, lane);
      edge.line = shape("path", { d: path });
      edge.label = shape("text", { x: at[0], y: at[1] - 3, class: "count" });
      edge.title = shape("title");
      edge.line.append(edge.title);
      lines.append(edge.line, edge.label);
    }
    for (const box of plan.boxes) boxes.append(this.buildBox(graph, box));
    this.picture.replaceChildren(lines, boxes);
    graph.drawing = plan;
  }

  buildBox(graph, box) {
    const { width, height } = SIZE;
    const element = shape("g", { class: `box ${box.kind}`, transform: `translate(${box.x - width / 2} ${box.y - height / 2})`, tabindex: 0 });
    box.title = shape("title");
    box.frame = shape("rect", { width, height, rx: 5 });
    box.queue = shape("rect", { class: "queue", x: 1, y: height - 4, width: 0, height: 3, rx: 1.5 });
    const most = 20;
    const name = box.name.length > most ? `…${box.name.slice(1 - most)}` : box.name;
    const text = shape("text", { x: 8, y: 14 });
    text.textContent = name;
    box.count = shape("text", { x: 8, y: 26, class: "count start" });
    element.append(box.title, box.frame, box.queue, text, box.count);
    const act = () => {
      if (box.group) {
        if (!this.open.delete(box.group)) this.open.add(box.group);
        graph.drawing = null;
        this.isStale = true;
      }
      if (box.nodes.length === 1 && ["sensor", "actuator"].includes(box.kind)) this.onselect(box.name);
    };
    element.addEventListener("click", act);
    element.addEventListener("keydown", (event) => event.key === "Enter" && act());
    return element;
  }

  drawEdge(graph, edge, state, before) {
    const states = edge.links.map((index) => state.links[index]);
    const sum = (name) => states.reduce((all, link) => all + link[name], 0);
    const readiness = WORST[Math.max(...states.map((link) => WORST.indexOf(link.readiness)))];
    const delivered = sum("delivered");
    const earlier = before ? edge.links.reduce((all, index) => all + before.links[index].delivered, 0) : delivered;
    const [queued, lost] = [sum("queued"), sum("dropped") + sum("refused")];
    edge.line.setAttribute("class", `link ${readiness}${delivered > earlier ? " sends" : ""}`);
    edge.label.textContent = [queued > 0 ? `•${queued}` : "", lost > 0 ? `−${short(lost)}` : ""].join(" ").trim();
    edge.label.setAttribute("class", `count${lost > 0 ? " loss" : ""}`);
    const names = edge.links.map((index) => graph.layout.links[index]).map(([, , subject, observer]) => `${subject} > ${observer}`);
    edge.title.textContent = `${names.slice(0, 12).join("\n")}${names.length > 12 ? `\n… ${names.length - 12} more` : ""}\n${WORDS[readiness]}; delivered ${delivered}, queued ${queued}, dropped ${sum("dropped")}, refused ${sum("refused")}`;
  }

  drawBox(graph, box, state) {
    const states = box.nodes.map((index) => state.nodes[index]);
    const sum = (name) => states.reduce((all, node) => all + node[name], 0);
    const fault = states.find((node) => node.fault)?.fault;
    const capacity = box.nodes.reduce((all, index) => all + graph.layout.nodes[index].capacity, 0);
    box.frame.setAttribute("class", fault ? "fault" : "");
    const queued = sum("queued");
    box.count.textContent = `${short(sum("handled"))} handled${queued > 0 ? `, ${queued} queued` : ""}`;
    box.queue.setAttribute("width", Math.min(1, queued / capacity) * (SIZE.width - 2));
    box.title.textContent = [
      box.nodes.length > 1 ? box.nodes.map((index) => graph.layout.nodes[index].name).join("\n") : box.name,
      `${sum("handled")} messages handled, ${queued} queued (at most ${Math.max(...states.map((node) => node.longest))}), ${sum("overflows")} refused`,
      fault ?? "", box.group ? (box.nodes.length > 1 ? "Click: show each" : "Click: show as a group") : "",
    ].filter(Boolean).join("\n");
  }
}

// Returns the indices of the links to draw.
function chosen({ layout, state }) {
  const all = layout.links.map((_, index) => index);
  if (all.length <= MOST_LINKS) return all;
  const lost = (index) => state.links[index].dropped + state.links[index].refused;
  return all.sort((one, other) => lost(other) - lost(one)).slice(0, MOST_LINKS).sort((one, other) => one - other);
}

function short(count) {
  return count < 10_000 ? `${count}` : count < 1e7 ? `${Math.round(count / 1000)}k` : `${Math.round(count / 1e6)}M`;
}

function shape(tag, attributes = {}) {
  const made = document.createElementNS(SPACE, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}
