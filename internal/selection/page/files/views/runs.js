// Runs: list and filter.

import { get } from "../api.js";
import { batchOptions, choices } from "../choices.js";
import { el, named } from "../dom.js";
import { resultFiles } from "../resultfiles.js";
import { link, parse } from "../route.js";
import { empty, heading, list, table } from "../widgets.js";
import { badge, callName, duration, figure, imported, modelName, time, verdict } from "../words.js";

const states = [["", "any"], ["pending", "waiting"], ["running", "running"], ["completed", "completed"], ["failed", "failed"]];
const classes = [["", "any"], ["TP", "TP: right tool"], ["TN", "TN: rightly no tool"], ["FP", "FP: tool not wanted"], ["FN", "FN: wrong tool, or none"]];

export default async (root, route) => {
  const place = el("div");
  const filter = () => {
    const values = Object.fromEntries(parse(location.hash).query);
    delete values.offset;
    return values;
  };
  root.append(heading("Runs", resultFiles(filter, place)), place);
  const [known, { items: batches }] = await Promise.all([choices(route.signal), get("/batches", { limit: 100 }, route.signal)]);
  const id = route.query.get("case");
  if (id) {
    const c = await get("/cases/" + encodeURIComponent(id), {}, route.signal).catch((err) => {
      if (err.status !== 404) throw err;
      return { name: id }; // a filter also takes the name of a case
    });
    root.append(el("p", { class: "intro" }, "Runs of the case ", named(c.name), ". ", el("a", { href: link(["runs"]) }, "All runs"), "."));
  }
  await list(root, {
    route, parts: ["runs"], path: "/runs", what: ["run", "runs"],
    filters: [
      { name: "status", label: "State", options: states }, { name: "classification", label: "Class", options: classes },
      { name: "batch", label: "Batch", options: [["", "any"], ...batchOptions(batches)] }, { name: "model", label: "Model", options: known.models },
      { name: "server", label: "Expected server", options: known.servers }, { name: "tool", label: "Expected tool", options: known.tools },
      { name: "tag", label: "Tag of the case", options: known.tags }, { name: "imported", label: "Imported runs", options: [["", "any"], ["without", "without them"], ["only", "only these"]] }, { name: "case", label: "Name or id of the case" },
    ],
    none: (filtered) => (filtered ? empty("No run matches.") : empty("There are no runs yet. ", el("a", { href: link(["start"]) }, "Start some"), ".")),
    draw: (answer) => table("Runs", [
      ["Case", (r) => el("a", { href: link(["runs", r.id]) }, named(r.test_case_name))],
      ["Verdict", (r) => [badge(...verdict(r)), " ", imported(r)]],
      ["Model", (r) => named(modelName(r.model_settings)), "name"],
      ["Chosen", (r) => (r.status === "completed" ? named(callName(r.selected)) : el("span", { class: "clip" }, el("bdi", {}, r.error_message || "")))],
      ["Confidence", (r) => figure(r.confidence_score), "number"],
      ["Repeat", (r) => String(r.repeat), "number extra"],
      ["Time", (r) => duration(r.execution_time_ms), "number extra"],
      ["Created", (r) => time(r.created_at), "extra"],
    ], answer.items),
  });
};
