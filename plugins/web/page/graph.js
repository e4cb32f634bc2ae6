// Layout of a graph of objects: columns from senders to receivers, rows within each, and groups of similar components.

// Smallest number of components that are drawn as one group.
const GROUP = 4;
const COLUMN = 190;
const ROW = 46;
// Room for links that go back, and how far they turn.
const MARGIN = 34;
const TURN = 30;
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
  const put = (column) => column.forEach((box, row) => (box.y = (row + 0.65 + (tallest - column.length) / 2) * ROW));
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

// Returns the path of an edge from the right side of a box to the left side of another, between the boxes of the columns that it
// crosses, and the position of its label. `lane` is a number that keeps edges apart which cross a column in the same gap.
export function curve({ from, to }, boxes, lane = 0) {
  const points = crossings(from, to, boxes, ((lane % 3) - 1) * 3);
  let [x, y] = [from.x + SIZE.width / 2, from.y];
  let path = `M${x} ${y}`;
  let at = [x, y];
  points.push([to.x - SIZE.width / 2, to.y]);
  // Where it crosses a column it is straight; between columns, and where it turns back, it is a curve.
  points.forEach(([x1, y1], index) => {
    if (index % 2 === 1) path += `L${x1} ${y1}`;
    else path += bend(x, y, x1, y1, index === 0 ? 1 : -1);
    if (index === 2 * Math.floor(points.length / 4)) at = [(x + x1) / 2, (y + y1) / 2];
    [x, y] = [x1, y1];
  });
  return { path, at };
}

// A curve whose ends are horizontal; one that returns to the column where it began turns to the side of `turn`.
function bend(x0, y0, x1, y1, turn) {
  const reach = x1 === x0 ? turn * TURN : (x1 - x0) / 2;
  return `C${x0 + reach} ${y0} ${x1 === x0 ? x1 + reach : x1 - reach} ${y1} ${x1} ${y1}`;
}

// Points in pairs, where an edge enters and leaves the columns between its ends; columns of the ends, too, if it goes back.
function crossings(from, to, boxes, offset) {
  const forward = to.column > from.column;
  const first = forward ? from.column + 1 : from.column;
  const last = forward ? to.column - 1 : to.column;
  const step = forward ? 1 : -1;
  const points = [];
  for (let column = first; (last - column) * step >= 0; column += step) {
    const x = column * COLUMN + SIZE.width / 2 + MARGIN;
    const share = from.column === to.column ? 0.5 : (column - from.column) / (to.column - from.column);
    // What goes back passes below its ends.
    const wish = from.y + share * (to.y - from.y) + (forward ? 0 : ROW / 4);
    const y = gap(boxes.filter((box) => box.column === column), wish) + offset;
    points.push([x - (step * SIZE.width) / 2, y], [x + (step * SIZE.width) / 2, y]);
  }
  return points;
}

// Returns the height next to `wish` at which a line passes between the boxes of a column.
function gap(column, wish) {
  const isFree = (y) => column.every((box) => Math.abs(box.y - y) > SIZE.height / 2 + 4);
  const heights = column.flatMap((box) => [box.y - ROW / 2, box.y + ROW / 2]).filter(isFree);
  const apart = (y) => Math.abs(y - wish);
  return isFree(wish) ? wish : heights.reduce((best, y) => (apart(y) < apart(best) ? y : best));
}
