// The parameters of each expected call beside those that the model gave.

import { el, named } from "./dom.js";
import { table } from "./widgets.js";
import { badge, json, percent } from "./words.js";

const states = {
  equal: ["✓", "equal", "good"],
  defaulted: ["✓", "left out: the default is right", "good"],
  different: ["✗", "wrong value", "bad"],
  missing: ["✗", "missing", "bad"],
  additional: ["·", "not expected, harmless", "plain"],
  invented: ["✗", "hallucinated", "bad"],
  forbidden: ["✗", "given, but forbidden", "bad"],
  unjudged: ["?", "not judged: no judge model", "plain"],
};

const value = (v) => (v === undefined ? el("span", { class: "quiet" }, "–") : el("code", { class: "value" }, el("bdi", {}, json(v))));

// inside lists the places at which an object or a list differs.
const inside = { different: "wrong", missing: "missing", additional: "not expected" };
const changes = (list) => (list && list.length ? el("ul", { class: "reasons" }, list.map((c) => el("li", {}, el("code", {}, el("bdi", {}, c.path)), " ", inside[c.state] || c.state,
  c.expected === undefined ? "" : [": expected ", value(c.expected)], c.actual === undefined ? "" : [c.expected === undefined ? ": " : ", ", "given ", value(c.actual)]))) : "");

const one = (call, number) => [
  number ? el("h3", {}, `Call ${number}: `, named(call.expected.server + ":" + call.expected.tool)) : "",
  call.parameters.length ? table(number ? `Parameters of call ${number}` : "Parameters", [
    ["Parameter", (d) => named(d.name || "(all)")],
    ["State", (d) => [badge(...(d.match && d.state === "equal" ? ["✓", "as the rule says", "good"] : states[d.state] || ["·", d.state, "plain"])), d.state === "different" && d.score > 0 ? el("small", {}, ` ${percent(d.score)} right`) : ""]],
    ["Expected", (d) => (d.match ? ["rule ", value(d.match)] : value(d.expected))],
    ["Extracted", (d) => value(d.actual)],
    ["Remarks", (d) => [changes(d.changes), el("bdi", {}, d.problem || ""), d.judged_by ? el("p", {}, "Judged by ", named(d.judged_by), d.judgement ? [": ", el("bdi", {}, d.judgement)] : "") : ""]],
  ], call.parameters) : el("p", { class: "quiet" }, "No parameters were expected or given."),
  call.schema_problem ? el("p", { class: "notice" }, "Types were not checked, because the input schema cannot be used: ", el("bdi", {}, call.schema_problem)) : "",
];

// differences shows the diff that the service gives with a result. Parameters are
// compared in calls of the right tool alone.
export const differences = (diff) => {
  const compared = diff.calls.filter((c) => c.expected && c.made);
  if (!compared.length) return el("p", { class: "quiet" }, "Parameters are compared where the right tool was called.");
  return el("div", {}, compared.map((call, i) => one(call, compared.length > 1 ? i + 1 : 0)));
};
