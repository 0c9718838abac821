// Similarity: which tools a model may take for each other.

import { post } from "../api.js";
import { el, named, show } from "../dom.js";
import { heatmap } from "../heatmap.js";
import { link, remember } from "../route.js";
import { attempt, button, empty, field, heading, loading, serverChooser, table } from "../widgets.js";
import { count } from "../words.js";

const perPage = 50;

const methods = { embedding: "sentence vectors", tfidf: "TF-IDF", description_overlap: "words of descriptions" };

const pairs = (flagged, byPair) => {
  const box = el("div");
  const draw = (limit) => show(box, table("Similar pairs", [
    ["First", (p) => named(p.tool_a_id)],
    ["Second", (p) => named(p.tool_b_id)],
    ["Similarity", (p) => p.similarity_score.toFixed(2), "number"],
    ["To tell them apart", (p) => advice(byPair.get(p.tool_a_id + "\n" + p.tool_b_id))],
  ], flagged.slice(0, limit)), limit < flagged.length ? button(`Show more (${limit} of ${flagged.length})`, () => draw(limit + perPage)) : "");
  draw(perPage);
  return box;
};

const advice = (r) => (r && r.recommendations.length ? el("details", {}, el("summary", {}, count(r.recommendations.length, "recommendation")),
  el("ul", {}, r.recommendations.map((i) => el("li", {}, el("b", { class: "priority " + i.priority }, i.priority), " ",
    i.tool_id ? [named(i.tool_id), ": "] : "", el("bdi", {}, i.recommendation), el("p", { class: "quiet" }, el("bdi", {}, i.rationale)))))) : "");

const draw = (overlap, analysis, signal) => {
  const byPair = new Map((analysis.recommendations || []).map((r) => [r.tool_pair.join("\n"), r]));
  return [
    el("section", {}, el("h2", {}, `Overlap of ${count(overlap.tool_ids.length, "tool")}`),
      el("p", { class: "quiet" }, `Meaning (${methods[overlap.semantic]}) counts ${overlap.dimensions.semantic}, parameters ${overlap.dimensions.parameters}, words of descriptions ${overlap.dimensions.description}. Similar tools are beside each other.`),
      heatmap(overlap.tool_ids, overlap.matrix, overlap.order, signal)),
    overlap.clusters.length ? el("section", {}, el("h2", {}, "Groups that overlap"), el("ul", {}, overlap.clusters.slice(0, perPage).map((c) =>
      el("li", {}, c.slice(0, perPage).map((id, i) => [i ? ", " : "", named(id)]), c.length > perPage ? ` and ${c.length - perPage} more` : "")))) : "",
    el("section", {}, el("h2", {}, `Similar pairs: ${analysis.flagged_pairs.length.toLocaleString("en")}`),
      el("p", { class: "quiet" }, `Pairs whose similarity by ${methods[analysis.method]} is ${analysis.threshold} or more.`),
      analysis.flagged_pairs.length ? pairs(analysis.flagged_pairs, byPair) : el("p", {}, "No pair is that similar.", analysis.nearest_pair ? [" The most similar pair is ", named(analysis.nearest_pair.tool_a_id), " and ", named(analysis.nearest_pair.tool_b_id), ` with ${analysis.nearest_pair.similarity_score}.`] : "")),
  ];
};

export default async (root, route) => {
  show(root, heading("Similarity"), loading("the servers"));
  const servers = await serverChooser(route.query.getAll("server"), route.signal);
  const threshold = field("Threshold", { type: "number", min: 0, max: 1, step: 0.01, value: route.query.get("threshold") || "", placeholder: "by method" });
  const method = field("Method", { value: route.query.get("method") || "" }, [["", "the best that this service has"], ...Object.entries(methods)]);
  const out = el("div");
  const place = el("div");
  const submit = el("button", { type: "submit", class: "primary" }, "Compare the tools");
  const run = () => attempt(submit, place, async () => {
    const source = { server_list: servers.chosen() };
    if (threshold.input.value !== "") source.similarity_threshold = Number(threshold.input.value);
    if (!source.server_list.length) throw new Error("Choose a server at least.");
    remember(["similarity"], { server: source.server_list, threshold: threshold.input.value, method: method.input.value });
    show(out, loading("the tools"));
    try {
      const overlap = await post("/similarity/matrix", source, { signal: route.signal });
      const body = { ...source, include_recommendations: true };
      if (method.input.value) body.method = method.input.value;
      const analysis = await post("/similarity/analyze", body, { signal: route.signal });
      show(out, draw(overlap, analysis, route.signal));
    } catch (err) {
      show(out);
      throw err;
    }
  });
  show(root, heading("Similarity"), el("p", { class: "intro" }, "Tools that a model may take for each other. The servers are asked for their tools now."),
    servers.none ? empty("There are no servers yet. ", el("a", { href: link(["servers"]) }, "Register one first"), ".") : el("form", {
      class: "form", "aria-label": "What to compare", onsubmit: (ev) => {
        ev.preventDefault();
        run();
      },
    }, servers.box, threshold.box, method.box, el("div", { class: "buttons" }, submit)), place, out);
  if (servers.chosen().length) await run();
};
