// Batches: what was started, and how far it is. It is the first view.

import { get } from "../api.js";
import { el, named } from "../dom.js";
import { link } from "../route.js";
import { empty, heading, list, table } from "../widgets.js";
import { batchName, count, percent, time } from "../words.js";

const state = (b) => {
  const waiting = b.pending + b.running;
  const text = waiting ? `${b.completed + b.failed} of ${b.total} ended` : count(b.total, "run");
  return text + (b.failed ? `, ${b.failed} failed` : "") + (b.imported ? `, ${b.imported} imported` : "");
};

// beginning leads a user without data to the first run.
const beginning = async (signal) => {
  const [servers, cases] = await Promise.all([get("/servers", { limit: 1 }, signal), get("/cases", { limit: 1 }, signal)]);
  const step = (done, text, parts) => el("li", {}, el("a", { href: link(parts) }, text), done ? " (done)" : "");
  return el("section", { class: "panel", "aria-labelledby": "beginning" }, el("h2", { id: "beginning" }, "Begin here"),
    el("ol", {}, step(servers.total > 0, "Register an MCP server", ["servers"]), step(cases.total > 0, "Add a case: a query and the tool that is right for it", ["cases", "new"]),
      step(false, "Start a run", ["start"])));
};

export default async (root, route) => {
  root.append(heading("Batches", el("a", { class: "button primary", href: link(["start"]) }, "Start runs")),
    el("p", { class: "intro" }, "Runs that were started together: cases, models and repeats."));
  let none = empty("No runs were started yet.");
  const { total } = await get("/batches", { limit: 1 }, route.signal);
  if (!total) none = await beginning(route.signal);
  await list(root, {
    route, parts: ["batches"], path: "/batches", what: ["batch", "batches"], filters: [],
    none: () => none,
    draw: (answer) => table("Batches", [
      ["Batch", (b) => el("a", { href: link(["batches", b.id]) }, named(batchName(b)))],
      ["Started", (b) => time(b.created_at)],
      ["Models", (b) => b.models.slice(0, 5).map((m) => [named(m), " "]).concat(b.models.length > 5 ? [`and ${b.models.length - 5} more`] : [])],
      ["Runs", state],
      ["Accuracy", (b) => percent(b.accuracy)],
      ["Parameters correct", (b) => percent(b.parameter_correctness)],
      ["Matrix", (b) => el("a", { href: link(["matrix"], { batch: b.id }), "aria-label": "Matrix of " + batchName(b) }, "Matrix")],
    ], answer.items),
  });
};
