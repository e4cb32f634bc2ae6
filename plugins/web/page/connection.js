// Connection to the simulator. It reconnects when the simulator is available again.
import { readFrame } from "./values.js";

const FIRST_WAIT = 500;
const LONGEST_WAIT = 4000;

export class Connection {
  // `hear` has the callbacks scene(scene), frame(frame), warning(text) and state(word).
  constructor(hear) {
    this.hear = hear;
    this.wait = FIRST_WAIT;
    this.calls = new Map();
    this.next = 1;
    this.watched = [];
    this.graphs = [];
    this.firstGraph = Infinity;
    this.text = null;
    this.unseen = undefined;
    this.open();
  }

  async open() {
    this.hear.state(this.text === null ? "connecting" : "lost");
    try {
      const answer = await fetch("/scene.json", { cache: "no-store" });
      if (!answer.ok) throw new Error(await answer.text());
      const text = await answer.text();
      // After an interruption the scene is unchanged, and is kept.
      if (text !== this.text) {
        this.text = text;
        await this.load(JSON.parse(text));
      }
      this.connect();
    } catch {
      this.later();
    }
  }

  async load(scene) {
    this.firstGraph = scene.graphs[0]?.channel ?? Infinity;
    await this.hear.scene(scene);
  }

  connect() {
    const socket = new WebSocket(`ws://${location.host}/ws`);
    socket.binaryType = "arraybuffer";
    socket.onopen = () => {
      this.socket = socket;
      this.wait = FIRST_WAIT;
      this.subscribe();
      this.hear.state("live");
    };
    socket.onmessage = ({ data }) => {
      if (typeof data === "string") this.read(JSON.parse(data));
      else this.show(readFrame(data, this.firstGraph));
    };
    socket.onclose = () => {
      this.socket = null;
      for (const { reject } of this.calls.values()) reject(new Error("the connection was lost"));
      this.calls.clear();
      this.later();
    };
  }

  // After a reload there is another scene; the simulator sends its frames once this connection has subscribed again.
  async reload() {
    const answer = await fetch("/scene.json", { cache: "no-store" });
    this.text = await answer.text();
    this.unseen = undefined;
    await this.load(JSON.parse(this.text));
    this.subscribe();
  }

  read({ reply, warning, scene }) {
    if (scene) this.reload().catch(() => this.socket?.close());
    else if (reply) this.reply(reply);
    else if (warning) this.hear.warning(warning);
  }

  later() {
    this.hear.state("lost");
    setTimeout(() => this.open(), this.wait);
    this.wait = Math.min(this.wait * 1.6, LONGEST_WAIT);
  }

  show(frame) {
    this.hear.frame(frame);
    this.unseen = frame.number;
  }

  // Acknowledges drawn frames: there is room for more. A hidden page requests nothing.
  seen() {
    if (this.unseen === undefined) return;
    this.send({ seen: this.unseen });
    this.unseen = undefined;
  }

  send(what) {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(what));
  }

  subscribe() {
    if (this.graphs.length > 0) this.send({ graphs: this.graphs });
    this.send({ watch: this.watched });
  }

  // Subscribes to the graphs of some middlewares.
  watchGraphs(names) {
    this.graphs = names;
    this.send({ graphs: names });
  }

  watch(paths) {
    this.watched = paths;
    this.send({ watch: paths });
  }

  call(component, service, ...args) {
    const id = this.next++;
    return new Promise((resolve, reject) => {
      if (!this.socket) return reject(new Error("there is no connection"));
      this.calls.set(id, { resolve, reject });
      this.send({ call: { id, component, service, arguments: args } });
    });
  }

  reply({ id, status, value }) {
    const call = this.calls.get(id);
    this.calls.delete(id);
    if (status === "SUCCESS") call?.resolve(value);
    else call?.reject(new Error(String(value ?? status)));
  }
}
