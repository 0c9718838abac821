// The fields of a model and of how it is asked.

import { get } from "./api.js";
import { el } from "./dom.js";
import { button, field } from "./widgets.js";

const number = (input) => (input.value.trim() === "" ? undefined : Number(input.value));

const one = (info, given, drop) => {
  const d = info.defaults;
  const provider = field("Provider", { value: given.provider || d.provider || "lexical" }, info.providers.map((p) => [p, p]));
  const model = field("Model", { value: given.model || d.model || "bm25", required: true, maxlength: 100, spellcheck: "false" }, null,
    "lexical/bm25 is a baseline that needs no key and no network.");
  const base = field("Base URL", { value: "", spellcheck: "false" }, null, "For a service that speaks the wire format of OpenAI, such as http://127.0.0.1:11434/v1.");
  const temperature = field("Temperature", { type: "number", min: 0, max: 2, step: 0.1, value: d.temperature });
  const timeout = field("Timeout in seconds", { type: "number", min: 1, max: 300, value: d.timeout });
  const retries = field("Retries", { type: "number", min: 0, max: 10, value: d.max_retries });
  const confidence = field("Confidence", { value: d.confidence }, [["auto", "log-probabilities, else asked for"], ["asked", "asked for in the answer"], ["logprobs", "from log-probabilities"], ["none", "none"]]);
  const prompt = field("System prompt", { rows: 4, value: "" }, null, "That of your agent. Empty: the default one. It is the same for all cases.");
  const choice = field("Tool choice", { value: "auto" }, [["auto", "as the model decides"], ["required", "a tool has to be called"], ["none", "no tool may be called"]]);
  const parallel = field("Several calls at once", { value: "" }, [["", "as the provider decides"], ["true", "allowed"], ["false", "not allowed"]]);
  provider.input.addEventListener("change", () => {
    if (provider.input.value === "lexical") model.input.value = "bm25";
    else if (model.input.value === "bm25") model.input.value = "";
  });
  const box = el("fieldset", { class: "model" }, el("legend", {}, "Model"), provider.box, model.box,
    el("details", {}, el("summary", {}, "How it is asked"), base.box, temperature.box, timeout.box, retries.box, confidence.box, prompt.box, choice.box, parallel.box),
    drop ? el("div", { class: "buttons" }, button("Remove this model", drop)) : "");
  const read = () => {
    const out = {
      provider: provider.input.value, model: model.input.value.trim(), temperature: number(temperature.input), timeout: number(timeout.input),
      max_retries: number(retries.input), confidence: confidence.input.value,
    };
    if (prompt.input.value.trim()) out.system_prompt = prompt.input.value.trim();
    if (choice.input.value !== "auto") out.tool_choice = choice.input.value;
    if (parallel.input.value) out.parallel_tool_calls = parallel.input.value === "true";
    if (base.input.value.trim()) out.base_url = base.input.value.trim();
    return out;
  };
  return { box, read };
};

// modelFields is a list of models to which more can be added.
export const modelFields = async (signal) => {
  const info = await get("/models", {}, signal);
  const all = [];
  const box = el("div");
  const add = (droppable) => {
    const fields = one(info, {}, droppable ? () => {
      all.splice(all.indexOf(fields), 1);
      fields.box.remove();
      more.focus();
    } : null);
    all.push(fields);
    more.parentElement.before(fields.box);
    return fields;
  };
  const more = button("Add a model", () => add(true).box.querySelector("select").focus());
  box.append(el("div", { class: "buttons" }, more));
  add(false);
  return { box, read: () => all.map((f) => f.read()) };
};
