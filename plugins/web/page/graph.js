// Layout of a graph of objects: columns from senders to receivers, rows within each, and groups of similar components.

// Smallest number of components that are drawn as one group.
const GROUP = 4;
const COLUMN = 190;
const ROW = 46;
// Room for links that go back.
const MARGIN = 34;
export const SIZE = { width: 140, height: 34 };

// Returns boxes and edges: components of one kind with the same neighbours are one box, unless their group is open.
export function arrange({ nodes, links }, openGroups) {
  const boxes = group(nodes, links, openGroups);
  const boxOf = [];
  boxes.forEach((box) => box.nodes.forEach((node) => (boxOf[node] = box)));
  const edges = new Map();
  links.forEach(([from, to], index) => {
    const [a, b] = [boxOf[from], boxOf[to]];
    if (!a || !b) return;
    const key = `${a.key} ${b.key}`;
    if (!edges.has(key)) edges.set(key, { from: a, to: b, links: [] });
    edges.get(key).links.push(index);
  });
  const all = [...edges.values()];
  columns(boxes, all);
  return { boxes, edges: all, ...rows(boxes, all) };
}

// Components and system objects without links are left out.
function group(nodes, links, openGroups) {
  const neighbours = nodes.map(() => new Set());
  for (const [from, to] of links) {
    neighbours[from]?.add(`>${to}`);
    neighbours[to]?.add(`<${from}`);
  }
  const groups = new Map();
  nodes.forEach((node, index) => {
    const isComponent = node.kind === "sensor" || node.kind === "actuator";
    if (node.kind !== "object" && neighbours[index].size === 0) return;
    const key = isComponent ? `${node.kind}s ${[...neighbours[index]].sort()}` : `object ${index}`;
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(index);
  });
  const boxes = [];
  for (const [key, members] of groups) {
    const { kind, name } = nodes[members[0]];
    const isGroup = members.length >= GROUP;
    if (isGroup && !openGroups.has(key)) {
      boxes.push({ key, kind, nodes: members, name: `${members.length} ${kind}s`, group: key });
    } else {
      for (const index of members) boxes.push({ key: `${index}`, kind, nodes: [index], name: nodes[index].name, group: isGroup ? key : null });
    }
  }
  return boxes;
}

// Sets the columns: sensors first, actuators last, and objects between them as far from sensors as their longest chain of
// links, without links that close a cycle.
function columns(boxes, edges) {
  const out = new Map(boxes.map((box) => [box, []]));
  for (const edge of edges) if (edge.from !== edge.to) out.get(edge.from).push(edge.to);
  const state = new Map();
  const order = [];
  const back = new Set();
  // Without recursion: a chain may have thousands of objects.
  for (const root of [...boxes].sort((one, other) => rank(one) - rank(other))) {
    if (state.has(root)) continue;
    const stack = [[root, 0]];
    state.set(root, 1);
    while (stack.length > 0) {
      const top = stack[stack.length - 1];
      const [box, next] = top;
      const others = out.get(box);
      if (next >= others.length) {
        state.set(box, 2);
        order.push(box);
        stack.pop();
        continue;
      }
      top[1] += 1;
      const other = others[next];
      if (state.get(other) === 1) back.add(`${box.key} ${other.key}`);
      if (!state.has(other)) {
        state.set(other, 1);
        stack.push([other, 0]);
      }
    }
  }
  for (const box of boxes) box.column = rank(box) === 0 ? 0 : 1;
  for (const box of order.reverse()) {
    for (const other of out.get(box)) {
      if (!back.has(`${box.key} ${other.key}`)) other.column = Math.max(other.column, box.column + 1);
    }
  }
  const last = Math.max(0, ...boxes.map((box) => box.column));
  for (const box of boxes) if (box.kind === "actuator") box.column = last;
  const used = [...new Set(boxes.map((box) => box.column))].sort((one, other) => one - other);
  for (const box of boxes) box.column = used.indexOf(box.column);
}

const rank = (box) => ({ sensor: 0, actuator: 2 })[box.kind] ?? 1;

// Sets the positions: in each column, boxes are ordered by the mean of their neighbours.
function rows(boxes, edges) {
  const columnsOf = [];
  for (const box of boxes) (columnsOf[box.column] ??= []).push(box);
  const tallest = Math.max(1, ...columnsOf.map((column) => column.length));
  const put = (column) => column.forEach((box, row) => (box.y = (row + 0.5 + (tallest - column.length) / 2) * ROW));
  columnsOf.forEach(put);
  const near = new Map(boxes.map((box) => [box, []]));
  for (const { from, to } of edges) {
    near.get(from).push(to);
    near.get(to).push(from);
  }
  for (let sweep = 0; sweep < 6; sweep++) {
    for (const column of columnsOf) {
      const wish = new Map(column.map((box) => {
        const others = near.get(box).filter((other) => other.column !== box.column);
        return [box, others.reduce((sum, other) => sum + other.y, 0) / (others.length || 1) || box.y];
      }));
      column.sort((one, other) => wish.get(one) - wish.get(other));
      put(column);
    }
  }
  for (const box of boxes) box.x = box.column * COLUMN + SIZE.width / 2 + MARGIN;
  return { width: (columnsOf.length - 1) * COLUMN + SIZE.width + 2 * MARGIN, height: (tallest + 0.6) * ROW };
}

// Returns the path of an edge from the right side of a box to the left side of another, around boxes between them.
export function curve({ from, to }) {
  const [x0, y0] = [from.x + SIZE.width / 2, from.y];
  const [x1, y1] = [to.x - SIZE.width / 2, to.y];
  if (x1 > x0) {
    const middle = (x1 - x0) / 2;
    return { path: `M${x0} ${y0}C${x0 + middle} ${y0} ${x1 - middle} ${y1} ${x1} ${y1}`, at: [(x0 + x1) / 2, (y0 + y1) / 2] };
  }
  // Backwards: below both boxes.
  const low = Math.max(y0, y1) + ROW * 0.75;
  const bend = 40;
  const path = `M${x0} ${y0}C${x0 + bend} ${y0} ${x0 + bend} ${low} ${x0 - 10} ${low}L${x1 + 10} ${low}C${x1 - bend} ${low} ${x1 - bend} ${y1} ${x1} ${y1}`;
  return { path, at: [(x0 + x1) / 2, low] };
}
