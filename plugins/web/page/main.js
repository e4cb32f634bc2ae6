// Puts the modules of the page together.
import { Camera } from "./camera.js";
import { Connection } from "./connection.js";
import { Controls, get } from "./controls.js";
import { Drawing } from "./drawing.js";
import { readMesh } from "./forms.js";
import { Inspector } from "./inspector.js";
import { Labels, strokesOf } from "./overlay.js";
import { Objects } from "./objects.js";
import { Plot } from "./plot.js";
import { Tree } from "./tree.js";
import { World, keyOf } from "./world.js";

const canvas = get("view");
const world = new World();
const camera = new Camera(canvas);
const labels = new Labels(get("labels"));
let follows = false;
let isStale = true;
let isFramed = false;
// The selection in the file is applied once, not again when the simulation is restarted.
let isShown = false;
let drawing = null;

const refresh = () => (isStale = true);
const attempt = (promise) => promise.catch((error) => controls.notice(error.message));

const controls = new Controls({
  play: () => attempt(connection.call("simulation", world.now.held ? "resume" : "pause")),
  step: () => attempt(connection.call("simulation", "step", 1)),
  reset: () => attempt(connection.call("simulation", "reset")),
  speed: (factor) => attempt(Number.isFinite(factor)
    ? connection.call("time", "set_time_scale", factor)
    : connection.call("time", "run_freely")),
  follow: () => follow(!follows),
  home: () => {
    follow(false);
    camera.goHome();
    refresh();
  },
  deselect: () => select(null),
  layers: () => {
    refresh();
    if (world.scene) watch();
  },
});
const objects = new Objects(get("objects"), (path) => world.components.has(path) && select({ component: path }));
const tree = new Tree(get("tree"), get("search"), select);
const inspector = new Inspector(get("inspector"), (of, name, unit) => {
  plot.toggle(world, of, name, unit);
  watch();
  refresh();
});
const plot = new Plot(get("plot"), () => {
  world.plotted = [];
  watch();
  refresh();
});

try {
  drawing = new Drawing(canvas);
} catch (error) {
  controls.notice(`The view cannot be drawn: ${error.message}`);
}

const connection = new Connection({
  scene: async (scene) => {
    const answers = await Promise.all(Array.from({ length: scene.meshes }, (_, index) => fetch(`/mesh/${index}`)));
    const meshes = await Promise.all(answers.map(async (answer) => readMesh(await answer.arrayBuffer())));
    world.setScene(scene);
    drawing?.setScene(scene, meshes);
    scene.bodies.forEach((body, index) => drawing?.move(index, body.pose));
    labels.clear();
    tree.setScene(scene);
    objects.setScene(scene);
    controls.offer("objects", scene.graphs.length > 0);
    watchObjects();
    get("scene").textContent = scene.name || "morse-sim";
    document.title = scene.name ? `${scene.name} – morse-sim` : "morse-sim";
    isFramed = false;
    const { selected } = scene.view;
    select(world.selected ?? (selected && !isShown ? { component: selected } : null));
    isShown = true;
  },
  frame: (frame) => {
    world.apply(frame);
    if (!isFramed) {
      camera.setHome(world.scene.view);
      camera.goHome();
    }
    isFramed = true;
    for (const [body, pose] of frame.moved) drawing?.move(body, pose);
    for (const state of frame.graphs) attempt(objects.take(state).then(refresh));
    refresh();
  },
  warning: (text) => controls.notice(text),
  state: (word) => controls.state(word),
});

function watch() {
  const { points, rays } = controls.layers;
  if (!points && !rays) world.clouds.clear();
  connection.watch(world.watched(points || rays));
  if (get("objects").hidden === controls.layers.objects) watchObjects();
}

// Shows or hides the panel of objects, which requires its data only while it is visible.
function watchObjects() {
  const isShown = controls.layers.objects;
  get("objects").hidden = !isShown;
  get("objects").parentElement.classList.toggle("split", isShown);
  connection.watchGraphs(isShown ? objects.names() : []);
}

function select(of) {
  const isSame = world.selected && of && keyOf(world.selected) === keyOf(of);
  world.selected = of;
  if (!of) follow(false);
  if (!isSame) watch();
  tree.select(of);
  drawing?.choose(world.bodiesOf(of));
  refresh();
}

function follow(wanted) {
  follows = wanted && Boolean(world.selected);
  if (wanted && !follows) controls.notice("Select something to follow it.");
  refresh();
}

camera.onclick = (event) => {
  canvas.focus({ preventScroll: true });
  if (!world.scene || !drawing) return;
  const { origin, direction } = camera.ray(event.offsetX, event.offsetY);
  const met = drawing.pick(origin, direction, world.poses);
  const body = met && world.scene.bodies[met.body];
  const isBackground = body && body.kind === "fixed" && !body.robot;
  select(!body || isBackground ? null : body.robot ? { robot: body.robot } : { body: body.name });
};
camera.onpan = () => (follows = false);
for (const event of ["pointermove", "wheel", "keydown"]) canvas.addEventListener(event, refresh);
get("plot").addEventListener("pointermove", refresh);
get("plot").addEventListener("pointerleave", refresh);
new ResizeObserver(() => {
  const ratio = Math.min(devicePixelRatio, 2);
  canvas.width = Math.max(1, Math.round(canvas.clientWidth * ratio));
  canvas.height = Math.max(1, Math.round(canvas.clientHeight * ratio));
  refresh();
}).observe(canvas);

function accent() {
  const text = getComputedStyle(document.documentElement).getPropertyValue("--accent").trim();
  return [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16) / 255);
}

function draw() {
  requestAnimationFrame(draw);
  if (!isStale || !world.scene || drawing?.isBusy()) return;
  isStale = false;
  if (follows && world.selected) camera.target = world.poseOf(world.selected).slice(0, 3);
  camera.update();
  const { layers, theme } = controls;
  const color = accent();
  const strokes = strokesOf(world, layers, color, camera);
  drawing?.draw(camera, theme, { ground: layers.grid, accent: color, strokes, lamps: world.litLamps() });
  labels.draw(world, camera, layers.labels);
  controls.draw(world.now);
  inspector.draw(world, (of, name) => plot.color(world, of, name));
  plot.draw(world);
  objects.draw();
  connection.seen();
}

draw();
// For the console, and for programs that control the page.
window.morse = { world, camera, controls, connection, select };
