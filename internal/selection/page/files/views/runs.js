// Runs: list and filter.

import { get } from "../api.js";
import { el, named } from "../dom.js";
import { link } from "../route.js";
import { empty, heading, list, table } from "../widgets.js";
import { badge, callName, duration, figure, modelName, time, verdict } from "../words.js";

const states = [["", "any"], ["pending", "waiting"], ["running", "running"], ["completed", "completed"], ["failed", "failed"]];
const classes = [["", "any"], ["TP", "TP: right tool"], ["TN", "TN: rightly no tool"], ["FP", "FP: tool not wanted"], ["FN", "FN: wrong tool, or none"]];

export default async (root, route) => {
  root.append(heading("Runs"));
  const id = route.query.get("case");
  if (id) {
    const c = await get("/cases/" + encodeURIComponent(id), {}, route.signal);
    root.append(el("p", { class: "intro" }, "Runs of the case ", named(c.name), ". ", el("a", { href: link(["runs"]) }, "All runs"), "."));
  }
  await list(root, {
    route, parts: ["runs"], path: "/runs", what: ["run", "runs"],
    filters: [
      { name: "status", label: "State", options: states }, { name: "classification", label: "Class", options: classes },
      { name: "model", label: "Model (provider/model)" }, { name: "tag", label: "Tag of the case" }, { name: "case", label: "Id of the case" }, { name: "batch", label: "Id or label of the batch" }, { name: "server", label: "Expected server" }, { name: "tool", label: "Expected tool" },
    ],
    none: (filtered) => (filtered ? empty("No run matches.") : empty("There are no runs yet. ", el("a", { href: link(["start"]) }, "Start some"), ".")),
    draw: (answer) => table("Runs", [
      ["Case", (r) => el("a", { href: link(["runs", r.id]) }, named(r.test_case_name))],
      ["Verdict", (r) => badge(...verdict(r))],
      ["Model", (r) => named(modelName(r.model_settings))],
      ["Chosen", (r) => (r.status === "completed" ? named(callName(r.selected)) : el("span", { class: "clip" }, el("bdi", {}, r.error_message || "")))],
      ["Confidence", (r) => figure(r.confidence_score), "number"],
      ["Repeat", (r) => String(r.repeat), "number"],
      ["Time", (r) => duration(r.execution_time_ms), "number"],
      ["Created", (r) => time(r.created_at)],
    ], answer.items),
  });
};
