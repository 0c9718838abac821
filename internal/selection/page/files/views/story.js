// One run as a story: what was asked, what was offered, what was chosen, and why it
// is right or wrong.

import { follow, get, hasModelKey, keepModelKey, post, remove } from "../api.js";
import { el, named, say, show } from "../dom.js";
import { differences } from "../differences.js";
import { offered } from "../offered.js";
import { go, link } from "../route.js";
import { attempt, button, confirmed, failure, field, heading, loading } from "../widgets.js";
import { callName, categories, count, duration, figure, json, modelName, percent, time, verdict } from "../words.js";

const section = (title, ...content) => el("section", {}, el("h2", {}, title), ...content);

const parameters = (call) => (call && call.parameters !== undefined ? el("pre", { tabindex: "0", "aria-label": "Parameters" }, json(call.parameters)) : el("p", { class: "quiet" }, "No parameters."));

// chosen sets what was expected beside what was called.
const expectedName = (call) => [call, ...(call.alternatives || [])].map((x) => x.server + ":" + x.tool).join(" or ") + (call.optional ? " (optional)" : "");

const rules = (call) => (call.match ? [el("p", { class: "quiet" }, "Rules"), el("pre", { tabindex: "0", "aria-label": "Rules" }, json(call.match))] : "");

// said is what the model said beside its calls. Its provider's answer is read on request.
const said = (run, path, signal) => {
  const parts = [["Text", "text"], ["Refusal", "refusal"], ["Reasoning", "reasoning"]].filter(([, name]) => run.answer && run.answer[name]);
  const raw = el("details", {}, el("summary", {}, "The provider's answer"));
  raw.addEventListener("toggle", async () => {
    if (!raw.open || raw.children.length > 1) return;
    try {
      const answer = await get(path + "/answer", {}, signal);
      raw.append(answer.raw === undefined ? el("p", { class: "quiet" }, "None was kept.") : el("pre", { tabindex: "0", "aria-label": "The provider's answer" }, json(answer.raw)));
    } catch (err) {
      if (!signal.aborted) raw.append(failure(err));
    }
  });
  return section("What the model said",
    parts.length ? parts.map(([title, name]) => [el("h3", {}, title), el("pre", { class: "said", tabindex: "0", "aria-label": title }, run.answer[name])]) : el("p", { class: "quiet" }, "Nothing beside its calls."),
    run.answer && run.answer.finish_reason ? el("p", { class: "quiet" }, "Finish reason: ", el("bdi", {}, run.answer.finish_reason)) : "", raw);
};

const chosen = (run, c, result) => {
  const calls = result && result.calls.length ? result.calls.filter((x) => x.made).map((x) => x.made) : run.selected ? [run.selected] : [];
  const card = (title, list, none) => el("article", {}, el("h3", {}, title), list.length
    ? list.map((call) => [el("p", {}, el("b", {}, named(call.tool ? expectedName(call) : callName(call)))), parameters(call), rules(call)]) : el("p", {}, none));
  const against = result ? result.calls.filter((x) => x.forbidden).map((x) => el("p", { class: "notice" }, named(callName(x.made)), x.forbidden === "case" ? " is forbidden by the case." : " was not expected, and is destructive by its annotations.")) : [];
  return el("div", {}, against, el("div", { class: "columns" }, card("Expected", c.expected, "No tool should be called."), card("Chosen", calls, result ? "The model called no tool." : run.completed_at ? "The run failed, so nothing was chosen." : "The run has not ended.")));
};

const facts = (run, result) => {
  const source = { asked: "as the model says", logprobs: "from log-probabilities", score: "score of the baseline", repeats: "share of the repeats with this choice" }[run.confidence_source];
  const rows = [
    ["Model", named(modelName(run.model_settings))],
    ["Repeat", String(run.repeat)],
    ["Confidence", run.confidence_score === undefined ? "none" : `${figure(run.confidence_score)} (${source})`],
    ["Category", (result && categories[result.confidence_category]) || "none"],
    ["Time", duration(run.execution_time_ms)],
    ["Tokens", run.usage ? `${run.usage.input_tokens} in, ${run.usage.output_tokens} out` + (run.usage.cost_usd === undefined ? "" : `, $${run.usage.cost_usd.toFixed(4)}`) : "–"],
    ["System prompt", run.model_settings.system_prompt ? el("details", {}, el("summary", {}, "sha256 " + run.model_settings.system_prompt_sha256.slice(0, 12)), el("pre", { tabindex: "0", "aria-label": "System prompt" }, run.model_settings.system_prompt)) : "the default one"],
    ["Requests", run.attempts ? String(run.attempts) : "–"],
    ["Created", time(run.created_at)],
  ];
  return el("dl", { class: "facts" }, rows.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value))));
};

const scores = (result) => el("p", { class: "quiet" },
  result.diff.calls.some((d) => d.expected && (d.expected.parameters || d.expected.match))
    ? `Expected parameters complete ${percent(result.parameter_completeness)}, correct ${percent(result.parameter_correctness)}.`
    : "The case says nothing of the right parameters.",
  ` By the input schema ${percent(result.parameter_type_conformance)} of the parameters are right.`);

const advice = (result) => (result.recommendations.length ? el("ul", { class: "advice" }, result.recommendations.map((r) => el("li", {},
  el("b", { class: "priority " + r.priority }, r.priority), " ", r.tool ? [named((r.server ? r.server + ":" : "") + r.tool), ": "] : "", el("bdi", {}, r.text),
  r.from_model ? el("small", {}, " (written by a model)") : "",
  r.evidence && r.evidence.length ? el("p", { class: "quiet" }, "Evidence: ", el("bdi", {}, r.evidence.join("; "))) : "")))
  : el("p", { class: "quiet" }, "Nothing to recommend."));

// reason says in one sentence how the run ended.
const reason = (run, result) => {
  if (result) return el("p", { class: "lead" }, el("bdi", {}, result.reasoning));
  return el("p", { class: "lead" }, el("bdi", {}, run.error_message || "The run has not ended."));
};

// judged is the verdict, which the parameters can spoil.
const judged = (run, result) => (result && result.classification === "TP" && (result.parameter_correctness < 1 || result.hallucinated_parameters.length)
  ? ["◐", "right tool, wrong parameters", "mixed"] : verdict(run));

// imported says where a run comes from that another program executed, and how it was judged there.
const imported = ({ from, id, ...verdict }) => el("p", { class: "notice" }, `${from} executed this run (`, named(id), "). ",
  verdict.classification ? `It judged it ${verdict.classification}${verdict.parameter_correctness === undefined ? "" : `, parameters ${percent(verdict.parameter_correctness)} right`}${verdict.description ? `, and said: ${verdict.description}` : ""}. ` : "",
  "The verdict above is by the rules of this program, from the calls that were recorded. The run counts in no figures but those of its batch.");

// controls are what a user can do with the run.
const controls = (run, redraw, signal) => {
  const path = "/runs/" + encodeURIComponent(run.id);
  const place = el("div");
  const open = run.status === "pending" || run.status === "running";
  const key = field("API key of the model", { type: "password", autocomplete: "off" }, null, "For a provider with keys. Kept in memory alone.");
  const cancel = button("Cancel", () => attempt(cancel, place, async () => {
    await post(path + "/cancel");
    await redraw();
  }));
  const retry = el("button", { type: "submit" }, "Retry");
  const drop = button("Delete", async () => {
    if (!(await confirmed("Delete this run with its result?", "Delete"))) return;
    attempt(drop, place, async () => {
      await remove(path);
      go(["runs"], { batch: run.batch_id });
    });
  });
  const keyless = ["lexical", "replay"].includes(run.model_settings.provider) || hasModelKey();
  const links = [el("a", { href: link(["batches", run.batch_id]) }, "Batch"), el("a", { href: link(["runs"], { case: run.test_case_id }) }, "Runs of the case")];
  if (open) return el("div", { class: "controls buttons" }, cancel, links, place);
  if (run.imported) return el("div", { class: "controls buttons" }, drop, links, place);
  return el("form", {
    class: "controls", "aria-label": "What to do with the run", onsubmit: (ev) => {
      ev.preventDefault();
      attempt(retry, place, async () => {
        if (key.input.value) keepModelKey(key.input.value.trim());
        const started = await post(path + "/retry", undefined, { key: true, signal });
        go(["runs", started.run_ids[0]]);
      });
    },
  }, keyless ? "" : el("details", {}, el("summary", {}, "Key for a retry"), key.box), el("div", { class: "buttons" }, retry, drop, links), place);
};

export default async (root, route) => {
  const path = "/runs/" + encodeURIComponent(route.id);
  let latest = 0;
  const draw = async () => {
    const mine = ++latest;
    const run = await get(path, {}, route.signal);
    const [c, tools, result] = await Promise.all([
      get("/cases/" + encodeURIComponent(run.test_case_id), {}, route.signal),
      get(path + "/tools", {}, route.signal),
      run.status === "completed" ? get(path + "/result", {}, route.signal) : null,
    ]);
    if (mine !== latest) return run; // a later answer is on its way
    const [mark, words, cls] = judged(run, result);
    const later = result ? result.diff.case_changed : !run.imported && Date.parse(c.updated_at) > Date.parse(run.created_at);
    const inTools = el("div");
    show(root,
      heading(c.name), el("p", { class: "intro" }, "A run of ", named(modelName(run.model_settings)), run.retry_of ? [", a retry of ", el("a", { href: link(["runs", run.retry_of]) }, "an earlier run")] : "", "."),
      el("div", { class: "verdict " + cls, role: "group", "aria-label": "Verdict" }, el("p", { class: "word" }, el("span", { "aria-hidden": "true" }, mark + " "), words), reason(run, result)),
      controls(run, draw, route.signal),
      run.imported ? imported(run.imported) : "",
      later ? el("p", { class: "notice" }, "The case was edited after this run was created. The query, the expected calls and the parameters are shown for the case as it is now. The verdict and the scores are those of the older case.") : "",
      section("Query", el("blockquote", {}, el("bdi", {}, c.query))),
      section("Expected and chosen", chosen(run, c, result)),
      run.completed_at ? said(run, path, route.signal) : "",
      result ? section("Parameters", result.classification === "TP" ? scores(result) : "", differences(result.diff)) : "",
      result ? section("Recommendations", advice(result)) : "",
      section(`Offered: ${count(tools.total, "tool")}`, inTools),
      section("The run", facts(run, result)));
    offered(inTools, tools.items, c.expected, run.selected, path, route.signal);
    return run;
  };
  show(root, loading("the run"));
  const run = await draw();
  if (run.completed_at) return;
  const watch = () => follow(path + "/events", (event) => {
    const ended = event.status === "completed" || event.status === "failed";
    draw().then(() => {
      if (ended) say("The run has ended");
    }).catch((err) => {
      if (!route.signal.aborted) show(root, heading("Run"), failure(err));
    });
    return ended;
  }, route.signal).catch((err) => {
    if (!route.signal.aborted) root.append(failure(err, watch));
  });
  watch(); // it goes on while the view is shown
};
