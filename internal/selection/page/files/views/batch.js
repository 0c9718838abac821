// One batch: its progress as it happens, and what came out.

import { follow, get, hasModelKey, keepModelKey, post } from "../api.js";
import { el, named, say, show } from "../dom.js";
import { rate, rates } from "../interval.js";
import { resultFiles } from "../resultfiles.js";
import { link } from "../route.js";
import { attempt, button, confirmed, failure, field, heading, loading, table } from "../widgets.js";
import { batchName, count, duration, figure, time } from "../words.js";

const ofRuns = (s) => count(s.runs, "run") + (s.failed ? `, ${s.failed} failed` : "") + (s.imported ? `, ${s.imported} imported` : "");

// byTool sums the batch up by expected tool.
const byTool = (groups, id) => (groups.length ? el("section", {}, el("h2", {}, "By expected tool"), table("Figures by expected tool", [
  ["Expected tool", (g) => {
    const [server, ...tool] = g.name.split(":");
    return el("a", { href: link(["runs"], { batch: id, server, tool: tool.join(":") }) }, named(g.name));
  }],
  ["Runs", (g) => ofRuns(g.summary)],
  ["Accuracy", (g) => rate(g.summary.accuracy)],
  ["Wrong tool", (g) => rate(g.summary.wrong_tool_rate)],
  ["Parameters right", (g) => rate(g.summary.parameter_accuracy)],
], groups)) : "");

// runsOf leads to the runs of a cell of the confusion table.
const runsOf = (c) => [c.run_ids.map((id, i) => [i ? ", " : "", el("a", { href: link(["runs", id]), "aria-label": `Run ${i + 1}: ${c.expected} expected, ${c.chosen} chosen` }, String(i + 1))]),
  c.count > c.run_ids.length ? ` and ${c.count - c.run_ids.length} more` : ""];

// confusion shows what was chosen for what was expected.
const confusion = (cells) => (cells.length ? el("section", {}, el("h2", {}, "Expected and chosen"), table("Expected and chosen tools", [
  ["Expected", (c) => named(c.expected)],
  ["Chosen", (c) => [named(c.chosen), c.expected.split(", ").includes(c.chosen) ? "" : el("small", {}, " differs")]],
  ["Share of the runs that expected it", (c) => rate(c)],
  ["Runs", runsOf],
], cells)) : "");

// few is how many models stand side by side, each in a column of its own.
const few = 3;

// outcome sums the batch up by model.
const outcome = (sum) => (sum.models.length <= few ? table("Figures by model", [
  ["Figure", ([title, what]) => [title, what ? el("small", {}, " " + what) : ""]],
  ...sum.models.map((g) => [named(g.name), ([, , show]) => show(g.summary)]),
], [["Runs", "", ofRuns], ...rates.map(([title, what, name]) => [title, what, (s) => rate(s[name])]),
  ["Consistency", "of the repeats", (s) => figure(s.consistency)], ["Median time", "", (s) => duration(s.median_ms)]]) : table("Figures by model", [
  ["Model", (g) => named(g.name)],
  ["Runs", (g) => ofRuns(g.summary)],
  ...rates.map(([title, , name]) => [title, (g) => rate(g.summary[name])]),
  ["Consistency", (g) => figure(g.summary.consistency)],
  ["Median time", (g) => duration(g.summary.median_ms)],
], sum.models));

export default async (root, route) => {
  const path = "/batches/" + encodeURIComponent(route.id);
  show(root, loading("the batch"));
  const first = await get(path, {}, route.signal);
  const bar = el("progress", { max: first.total, "aria-label": "Runs that have ended" });
  const counts = el("p", { class: "number" });
  const place = el("div");
  const figures = el("div");
  const key = field("API key of the model", { type: "password", autocomplete: "off" }, null, "Needed to retry runs of a provider with keys. Kept in memory alone.");
  const cancel = button("Cancel the batch", async () => {
    if (!(await confirmed("Cancel all runs of this batch that have not ended?", "Cancel them"))) return;
    attempt(cancel, place, async () => draw(await post(path + "/cancel")));
  });
  const retry = el("button", { type: "submit" }, "Retry failed runs");
  const again = el("form", {
    class: "form", "aria-label": "Retry", onsubmit: (ev) => {
      ev.preventDefault();
      attempt(retry, place, async () => {
        if (key.input.value) keepModelKey(key.input.value.trim());
        const { total } = await post(path + "/retry", undefined, { key: true });
        say(count(total, "run") + " started again");
        watch();
      });
    },
  }, key.box, el("div", { class: "buttons" }, retry));
  const draw = (b) => {
    const ended = b.completed + b.failed;
    bar.max = b.total;
    bar.value = ended;
    const text = `${ended} of ${b.total} runs have ended: ${b.completed} completed, ${b.failed} failed, ${b.running} running, ${b.pending} waiting`;
    counts.textContent = text;
    cancel.hidden = ended === b.total;
    again.hidden = b.failed === 0 || b.imported === b.total || ended < b.total;
    key.box.hidden = hasModelKey();
    return ended === b.total;
  };
  const sum = async () => {
    try {
      const answer = await get("/metrics/summary", { batch: first.id }, route.signal);
      show(figures, el("h2", {}, "Figures"), answer.models.length ? outcome(answer) : el("p", { class: "quiet" }, "No run has ended yet."), byTool(answer.tools, first.id), confusion(answer.confusion),
        el("p", { class: "quiet" }, "Rates have 95% Wilson intervals, means 95% bootstrap or score intervals. Cancelled and retried runs are left out."));
    } catch (err) {
      if (!route.signal.aborted) show(figures, failure(err, sum));
    }
  };
  const watch = () => follow(path + "/events", (progress) => {
    const ended = draw(progress);
    if (ended) {
      say("All runs of the batch have ended");
      sum();
    }
    return ended;
  }, route.signal).catch((err) => {
    if (!route.signal.aborted) show(place, failure(err, watch));
  });
  show(root, heading("Batch", resultFiles(() => ({ batch: first.id }), place)),
    el("p", { class: "intro" }, named(batchName(first)), first.imported === first.total ? ", imported " : ", started ", time(first.created_at), ". ",
      el("a", { href: link(["matrix"], { batch: first.id }) }, "Matrix"), " · ", el("a", { href: link(["runs"], { batch: first.id }) }, "Runs"), " · ",
      el("a", { href: link(["compare"], { second: "batch:" + first.id }) }, "Compare")),
    first.imported ? el("p", { class: "notice" }, `Another program executed ${first.imported === first.total ? "these runs" : `${first.imported} of these ${count(first.total, "run")}`}. They are judged by the rules of this one, from the calls that were recorded, and count in no figures but those of their batch.`) : "",
    el("div", { class: "progress" }, bar, counts), el("div", { class: "buttons" }, cancel), again, place, figures);
  const done = draw(first);
  await sum();
  if (!done) watch(); // it goes on while the view is shown
};
