// One batch: its progress as it happens, and what came out.

import { follow, get, hasModelKey, keepModelKey, post } from "../api.js";
import { el, named, say, show } from "../dom.js";
import { rate, rates } from "../interval.js";
import { link } from "../route.js";
import { attempt, button, confirmed, failure, field, heading, loading, table } from "../widgets.js";
import { batchName, count, duration, figure, time } from "../words.js";

// outcome sums the batch up by model.
const outcome = (sum) => table("Figures by model", [
  ["Model", (g) => named(g.name)],
  ["Runs", (g) => count(g.summary.runs, "run") + (g.summary.failed ? `, ${g.summary.failed} failed` : "")],
  ...rates.map(([title, , name]) => [title, (g) => rate(g.summary[name])]),
  ["Consistency", (g) => figure(g.summary.consistency)],
  ["Median time", (g) => duration(g.summary.median_ms)],
], sum.models);

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
    again.hidden = !b.failed || ended < b.total;
    key.box.hidden = hasModelKey();
    return ended === b.total;
  };
  const sum = async () => {
    try {
      const answer = await get("/metrics/summary", { batch: first.id }, route.signal);
      show(figures, el("h2", {}, "Figures"), answer.models.length ? outcome(answer) : el("p", { class: "quiet" }, "No run has ended yet."),
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
  show(root, heading("Batch"),
    el("p", { class: "intro" }, named(batchName(first)), ", started ", time(first.created_at), ". ",
      el("a", { href: link(["matrix"], { batch: first.id }) }, "Matrix"), " · ", el("a", { href: link(["runs"], { batch: first.id }) }, "Runs"), " · ",
      el("a", { href: link(["compare"], { second: "batch:" + first.id }) }, "Compare")),
    el("div", { class: "progress" }, bar, counts), el("div", { class: "buttons" }, cancel), again, place, figures);
  const done = draw(first);
  await sum();
  if (!done) watch(); // it goes on while the view is shown
};
