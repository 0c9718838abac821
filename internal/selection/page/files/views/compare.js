// Compares two models, or two batches, on the cases that both have.

import { get } from "../api.js";
import { batchOptions, choices } from "../choices.js";
import { el, named, show } from "../dom.js";
import { rate, rates } from "../interval.js";
import { link, remember } from "../route.js";
import { attempt, empty, field, heading, loading, table } from "../widgets.js";
import { batchName, count } from "../words.js";

// most is how many cases of a list are shown.
const most = 200;

const changed = (title, list, meaning) => el("section", {}, el("h2", {}, `${title}: ${count(list.length, "case")}`), list.length ? [
  el("p", { class: "quiet" }, meaning),
  table(title, [
    ["Case", (c) => el("a", { href: link(["runs"], { case: c.test_case_id }) }, named(c.name))],
    ["First chose", (c) => named(c.first)],
    ["Second chose", (c) => named(c.second)],
  ], list.slice(0, most)),
  list.length > most ? el("p", { class: "quiet" }, `The first ${most} of ${list.length}.`) : "",
] : el("p", { class: "quiet" }, "None."));

const only = (title, list) => (list.length ? el("details", {}, el("summary", {}, `${title}: ${count(list.length, "case")}`),
  el("ul", {}, list.slice(0, most).map((n) => el("li", {}, named(n)))), list.length > most ? el("p", { class: "quiet" }, `The first ${most}.`) : "") : "");

const sentence = (c) => {
  const p = c.mcnemar_p < 0.0001 ? "below 0.0001" : c.mcnemar_p.toFixed(4);
  if (!c.lost.length && !c.gained.length) return `Of ${count(c.cases, "case")} that both have, both are right in ${c.both_right} and wrong in ${c.both_wrong}. No case differs, so McNemar's exact test gives p = 1.0000.`;
  const differs = c.mcnemar_p < 0.05 ? "The difference is larger than chance explains at the 5% level." : "Chance alone may explain the difference.";
  return `Of ${count(c.cases, "case")} that both have, both are right in ${c.both_right} and wrong in ${c.both_wrong}; `
    + `only the first is right in ${c.lost.length}, only the second in ${c.gained.length}. McNemar's exact test gives p = ${p}. ${differs}`;
};

const failures = (c) => (c.first_failed + c.second_failed ? el("p", { class: "notice" }, `${count(c.first_failed, "run")} of the first and ${count(c.second_failed, "run")} of the second failed, and decide nothing.`) : "");

const imports = (c) => (c.first.imported + c.second.imported ? el("p", { class: "notice" }, `Another program executed ${count(c.first.imported, "run")} of the first and ${count(c.second.imported, "run")} of the second.`) : "");

const change = (t) => {
  if (!t.first) return "only offered to the second";
  if (!t.second) return "only offered to the first";
  if (t.first.description === t.second.description) return "another input schema";
  return [el("p", {}, el("del", {}, el("bdi", {}, t.first.description))), el("p", {}, el("ins", {}, el("bdi", {}, t.second.description)))];
};

const changes = (list) => (list.length ? el("section", {}, el("h2", {}, `Other definitions: ${count(list.length, "tool")}`),
  table("Other definitions", [["Tool", (t) => named(t.server + ":" + t.tool)], ["Change", change]], list.slice(0, most))) : "");

const draw = (c, first, second) => (c.cases === 0 ? [failures(c), empty("The two have no case with an answer in common."), changes(c.tool_changes)] : [
  failures(c), imports(c),
  el("p", { class: "lead" }, sentence(c)),
  table("Figures", [
    ["Figure", ([title, what]) => [title, el("small", {}, " " + what)]],
    [["First: ", named(first)], ([, , name]) => rate(c.first[name])],
    [["Second: ", named(second)], ([, , name]) => rate(c.second[name])],
  ], rates),
  el("p", { class: "quiet" }, "The figures are over the cases that both have. Rates have 95% Wilson intervals, means 95% bootstrap or score intervals."),
  changed("Lost", c.lost, "Only the first is right."), changed("Gained", c.gained, "Only the second is right."),
  only("Only in the first", c.only_first), only("Only in the second", c.only_second), changes(c.tool_changes),
]);


export default async (root, route) => {
  show(root, heading("Compare"), loading("the batches"));
  const { items: batches } = await get("/batches", { limit: 100 }, route.signal);
  const { models } = await choices(route.signal);
  const options = [["", "choose a model or a batch"], ["Batches", batchOptions(batches, (b) => "batch:" + b.id)], ["Models", models.slice(1)]];
  // A link may name a batch by its label.
  const chosen = (given) => {
    const batch = batches.find((b) => given === "batch:" + b.label);
    return batch ? "batch:" + batch.id : given;
  };
  const nameOf = (value) => {
    const batch = batches.find((b) => value === "batch:" + b.id);
    return batch ? batchName(batch) : value;
  };
  const side = (label, name) => field(label, { value: chosen(route.query.get(name) || ""), required: true }, options);
  const first = side("First", "first");
  const second = side("Second", "second");
  const out = el("div");
  const place = el("div");
  const submit = el("button", { type: "submit", class: "primary" }, "Compare");
  const run = () => attempt(submit, place, async () => {
    const query = { first: first.input.value.trim(), second: second.input.value.trim() };
    remember(["compare"], query);
    show(out, loading("the comparison"));
    try {
      show(out, draw(await get("/metrics/compare", query, route.signal), nameOf(query.first), nameOf(query.second)));
    } catch (err) {
      show(out);
      throw err;
    }
  });
  show(root, heading("Compare"), el("p", { class: "intro" }, "Two models, or two batches: two versions of the tools' descriptions, for instance."),
    el("form", { class: "form inline", "aria-label": "What to compare", onsubmit: (ev) => {
      ev.preventDefault();
      run();
    } }, first.box, second.box, el("div", { class: "buttons" }, submit)), place, out);
  if (first.input.value && second.input.value) await run();
  else if (!batches.length) show(out, empty("There are no runs to compare yet. ", el("a", { href: link(["start"]) }, "Start some"), "."));
};
