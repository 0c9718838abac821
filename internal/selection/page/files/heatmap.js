// A heat map of a symmetric matrix, drawn on a canvas so that thousands of tools are
// one element. The keyboard moves a cursor over it, and the text below says what is
// under the cursor; the table of pairs beside it has the same in words.

import { el, named, newID, show } from "./dom.js";

// least is the height of a cell, in pixels, from which the axes have names.
const least = 11;

// axes puts the names of the tools beside a map whose cells have a size.
const axes = (map, names, order, cell) => {
  if (cell < least) return map;
  const ticks = (cls, side) => el("div", { class: cls, "aria-hidden": "true" }, order.map((i) => {
    const tick = el("span", { title: names[i] }, named(names[i].length > 28 ? names[i].slice(0, 27) + "…" : names[i]));
    tick.style[side] = tick.style.lineHeight = cell + "px";
    return tick;
  }));
  return el("div", { class: "axes" }, ticks("columns-of-map", "width"), ticks("rows", "height"), map);
};

// side is the width of the map on the screen, at least one pixel a tool.
const side = 720;

const colour = (name) => {
  const probe = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const n = parseInt(probe.slice(1), 16);
  return [n >> 16, (n >> 8) & 255, n & 255];
};

// paint draws a pixel for each pair, which the browser then enlarges.
const paint = (canvas, matrix, order) => {
  const n = order.length;
  const from = colour("--paper"), to = colour("--accent");
  const context = canvas.getContext("2d");
  const image = context.createImageData(n, n);
  for (let y = 0, at = 0; y < n; y++) {
    const row = matrix[order[y]];
    for (let x = 0; x < n; x++, at += 4) {
      const v = row[order[x]];
      for (let k = 0; k < 3; k++) image.data[at + k] = from[k] + (to[k] - from[k]) * v;
      image.data[at + 3] = 255;
    }
  }
  context.putImageData(image, 0, 0);
};

// heatmap draws a matrix whose rows and columns are names, in an order that puts
// similar ones beside each other.
export const heatmap = (names, matrix, order, signal) => {
  const n = order.length;
  const size = Math.max(n, Math.min(side, 40 * n));
  const note = newID("cell");
  const canvas = el("canvas", { width: n, height: n, role: "img", "aria-label": `Similarity of ${n} tools, similar ones beside each other` });
  canvas.style.width = canvas.style.height = size + "px"; // set by script, which the policy allows
  const cursor = el("div", { class: "cursor", hidden: true });
  const text = el("p", { id: note, class: "number", role: "status" }, "Point at a cell, or focus the map and use the arrow keys.");
  let x = 0, y = 0;
  const point = () => {
    const cell = size / n;
    Object.assign(cursor.style, { left: x * cell + "px", top: y * cell + "px", width: cell + "px", height: cell + "px" });
    cursor.hidden = false;
    show(text, named(names[order[y]]), " and ", named(names[order[x]]), ": ", el("b", {}, matrix[order[y]][order[x]].toFixed(2)));
  };
  const map = el("div", {
    class: "map", tabindex: "0", role: "application", "aria-roledescription": "heat map", "aria-label": "Heat map: the arrow keys move over the pairs", "aria-describedby": note,
    onkeydown: (ev) => {
      const by = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[ev.key];
      if (!by || ev.ctrlKey || ev.metaKey || ev.altKey) return;
      ev.preventDefault();
      if (!cursor.hidden) {
        x = Math.max(0, Math.min(n - 1, x + by[0]));
        y = Math.max(0, Math.min(n - 1, y + by[1]));
      }
      point();
      cursor.scrollIntoView({ block: "nearest", inline: "nearest" });
    },
    onpointermove: (ev) => {
      const box = canvas.getBoundingClientRect();
      const at = (v, from) => Math.max(0, Math.min(n - 1, Math.floor(((v - from) * n) / size)));
      x = at(ev.clientX, box.left);
      y = at(ev.clientY, box.top);
      point();
    },
  }, canvas, cursor);
  const repaint = () => paint(canvas, matrix, order);
  repaint();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint, { signal });
  return el("div", {}, el("div", { class: "scroll" }, axes(map, names, order, size / n)), text);
};
