// The matrix of runs: cases x models, or cases x batches. A page of it is in the document at a time.

import { follow, get } from "../api.js";
import { batchOptions, choices } from "../choices.js";
import { el, named } from "../dom.js";
import { link, parse } from "../route.js";
import { empty, heading, list } from "../widgets.js";
import { batchName } from "../words.js";

// most is how many columns are shown side by side; a batch has up to 100 models.
const most = 100;

// describe says what became of the runs of a cell.
const describe = (c) => {
  const right = c.tp + c.tn, judged = right + c.fp + c.fn, waiting = c.pending + c.running;
  const parts = [];
  if (judged > 1) parts.push(`${right}/${judged} right`);
  else if (right) parts.push("right");
  if (c.wrong_tool) parts.push("wrong tool");
  if (c.forbidden_call) parts.push("forbidden call");
  if (c.missing_call) parts.push("not all expected calls");
  if (c.fn > c.wrong_tool + c.forbidden_call + c.missing_call) parts.push("no tool called");
  if (c.fp) parts.push("tool not wanted");
  if (c.failed) parts.push(c.runs > 1 ? `${c.failed} failed` : "failed");
  if (waiting) parts.push(c.runs > 1 ? `${waiting} waiting` : "waiting");
  const text = parts.join(", ");
  if (!judged) return c.failed ? ["!", text, "bad"] : ["…", text, "plain"];
  if (right === judged) return ["✓", text, c.failed ? "mixed" : "good"];
  return ["✗", text, right ? "mixed" : "bad"];
};

const cell = (c, row, batch) => {
  if (!c) return el("td", { class: "none" }, el("span", { class: "hidden" }, "no run"));
  const [mark, text, cls] = describe(c);
  const to = c.runs === 1 ? link(["runs", c.last_run_id]) : link(["runs"], { case: row.test_case_id, model: c.model, batch: c.batch_id || batch });
  return el("td", { class: "cell " + cls }, el("a", { href: to, tabindex: "-1" }, el("span", { "aria-hidden": "true" }, mark + " "), text));
};

// walk moves among the cells with the arrow keys. One cell at a time is in the
// order of the Tab key.
const walk = (table) => {
  const rows = () => [...table.tBodies[0].rows].map((r) => [...r.cells].slice(1));
  const first = table.querySelector("td a");
  if (first) first.tabIndex = 0;
  table.addEventListener("keydown", (ev) => {
    const at = ev.target.closest("td");
    const by = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[ev.key];
    if (!at || !by || ev.ctrlKey || ev.metaKey || ev.altKey) return;
    ev.preventDefault();
    const all = rows();
    let y = all.findIndex((r) => r.includes(at)), x = all[y].indexOf(at);
    for (;;) { // cells without runs are passed over
      y += by[0];
      x += by[1];
      const next = all[y] && all[y][x];
      if (!next) return;
      const a = next.querySelector("a");
      if (!a) continue;
      at.querySelector("a").tabIndex = -1;
      a.tabIndex = 0;
      a.focus();
      return;
    }
  });
};

const draw = (answer, batch) => {
  const byBatch = answer.batches.length > 0;
  const all = byBatch ? answer.batches : answer.models.map((m) => ({ id: m, label: m }));
  const columns = all.slice(0, most);
  const table = el("table", { class: "matrix" },
    el("caption", { class: "hidden" }, "Runs by case and " + (byBatch ? "batch" : "model") + ". The arrow keys move among the cells."),
    el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Case"), columns.map((c) => el("th", { scope: "col" }, byBatch ? el("a", { href: link(["batches", c.id]) }, named(batchName(c))) : named(c.label))))),
    el("tbody", {}, answer.items.map((row) => {
      const cells = new Map(row.cells.map((c) => [byBatch ? c.batch_id : c.model, c]));
      return el("tr", {}, el("th", { scope: "row" }, el("a", { href: link(["runs"], { case: row.test_case_id, batch }) }, named(row.name))),
        columns.map((c) => cell(cells.get(c.id), row, batch)));
    })));
  walk(table);
  return [
    el("div", { class: "scroll" }, table),
    all.length > most ? el("p", { class: "quiet" }, `The ${byBatch ? "newest" : "first"} ${most} of ${all.length} ${byBatch ? "batches" : "models"}.`) : "",
  ];
};

export default async (root, route) => {
  root.append(heading("Matrix"), el("p", { class: "intro" }, "Cases and models, or cases and batches, and whether the right tool was called. A cell leads to its run. The arrow keys move among the cells."));
  const { items: batches } = await get("/batches", { limit: 100 }, route.signal);
  const chosen = route.query.get("batch") || "";
  const known = await choices(route.signal);
  let reload = () => {};
  const present = () => parse(location.hash).query.get("batch") || "";
  await list(root, {
    route, parts: ["matrix"], path: "/metrics/matrix", what: ["case", "cases"], limit: 50,
    filters: [
      { name: "columns", label: "Columns", options: [["", "models"], ["batch", "batches"]] },
      { name: "batch", label: "Batch", options: [["", "all batches"], ...batchOptions(batches)] }, { name: "model", label: "Model", options: known.models },
      { name: "imported", label: "Imported runs", options: [["", "in their batch only"], ["with", "with them"], ["only", "only these"]] },
      { name: "server", label: "Expected server", options: known.servers }, { name: "tool", label: "Expected tool", options: known.tools }, { name: "tag", label: "Tag of the case", options: known.tags },
    ],
    none: () => empty("There are no runs here. ", el("a", { href: link(["start"]) }, "Start some"), "."),
    ready: (load) => {
      reload = load;
    },
    draw: (answer) => draw(answer, present()),
  });
  // While the batch goes on, the page in view is read again from time to time.
  const going = batches.find((b) => b.id === chosen && b.pending + b.running);
  if (!going) return;
  let timer = 0;
  const later = () => {
    timer = timer || setTimeout(() => {
      timer = 0;
      if (!route.signal.aborted && present() === chosen && !root.contains(document.activeElement)) reload();
    }, 2000);
  };
  follow(`/batches/${encodeURIComponent(chosen)}/events`, (p) => {
    later();
    return p.pending + p.running === 0;
  }, route.signal).catch(() => {}); // the page stays as it was read
};
