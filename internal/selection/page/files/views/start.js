// Starts a run, or a batch: cases x models x repeats.

import { get, keepModelKey, once, post } from "../api.js";
import { el, named, show } from "../dom.js";
import { modelFields } from "../modelfields.js";
import { go, link } from "../route.js";
import { attempt, button, empty, failure, field, heading, loading } from "../widgets.js";
import { count } from "../words.js";

const perPage = 20;

// casePicker chooses cases out of a list that is searched and shown in part.
const casePicker = (chosen, signal) => {
  const body = el("div", { class: "picker" });
  const total = el("p", { class: "quiet", role: "status" });
  const tell = () => {
    total.textContent = count(chosen.size, "case") + " chosen";
  };
  const search = field("Find cases by name or query", { type: "search" });
  let limit = perPage;
  const load = async () => {
    try {
      const { items, total: all } = await get("/cases", { search: search.input.value.trim(), sort: "name", limit: Math.min(limit, 1000) }, signal);
      show(body, items.map((c) => {
        const box = el("input", { type: "checkbox", onchange: () => {
          if (box.checked) chosen.add(c.id);
          else chosen.delete(c.id);
          tell();
        } });
        box.checked = chosen.has(c.id);
        return el("label", { class: "check" }, box, named(c.name));
      }), items.length ? "" : empty("No case matches."), items.length < Math.min(all, 1000) ? button(`Show more (${items.length} of ${all})`, () => {
        limit += 5 * perPage;
        load();
      }) : "");
    } catch (err) {
      if (!signal.aborted) show(body, failure(err, load));
    }
  };
  let timer = 0;
  search.input.addEventListener("input", () => {
    clearTimeout(timer);
    limit = perPage;
    timer = setTimeout(load, 250);
  });
  tell();
  load();
  return el("div", {}, search.box, body, total);
};

// allCases reads the ids of every case, a page at a time.
const allCases = async (signal) => {
  const ids = [];
  for (;;) {
    const { items, total } = await get("/cases", { limit: 1000, offset: ids.length }, signal);
    ids.push(...items.map((c) => c.id));
    if (!items.length || ids.length >= total) return ids;
  }
};

export default async (root, route) => {
  show(root, loading("the models"));
  const models = await modelFields(route.signal);
  const chosen = new Set(route.query.getAll("case"));
  const tag = field("Tag", { value: route.query.get("tag") || "", maxlength: 100 });
  const ways = { some: "These cases", tag: "The cases with a tag", all: "All cases" };
  const parts = { some: casePicker(chosen, route.signal), tag: tag.box, all: el("p", { class: "quiet" }, "Every case of this service.") };
  let way = route.query.get("tag") ? "tag" : "some";
  const part = el("div");
  const radios = Object.entries(ways).map(([key, text]) => {
    const radio = el("input", { type: "radio", name: "way", value: key, onchange: () => {
      way = key;
      show(part, parts[way]);
    } });
    radio.checked = key === way;
    return el("label", { class: "check" }, radio, text);
  });
  show(part, parts[way]);
  const repeats = field("Repeats", { type: "number", min: 1, max: 1000, value: 1, required: true }, null, "Each case is put to each model so many times.");
  const label = field("Label", { maxlength: 200 }, null, "A name for the batch. Optional.");
  const key = field("API key of the model", { type: "password", autocomplete: "off", spellcheck: "false" }, null,
    "It goes to the service with this request. It stays in the memory of this page until you reload it, and is never stored.");
  const place = el("div");
  const submit = el("button", { type: "submit", class: "primary" }, "Start");
  const headers = once();
  const form = el("form", {
    class: "form", "aria-label": "Start runs", onsubmit: (ev) => {
      ev.preventDefault();
      attempt(submit, place, async () => {
        const body = { models: models.read(), repeats: Number(repeats.input.value), label: label.input.value.trim() };
        if (way === "tag") {
          if (!tag.input.value.trim()) throw new Error("Give a tag, or choose cases.");
          body.tag = tag.input.value.trim();
        } else body.test_case_ids = way === "all" ? await allCases(route.signal) : [...chosen];
        if (body.test_case_ids && !body.test_case_ids.length) throw new Error("Choose a case at least.");
        keepModelKey(key.input.value.trim());
        const started = await post("/runs", body, { headers, key: true }).catch((err) => {
          if (err.status) Object.assign(headers, once()); // it was refused: a corrected request is another one
          throw err;
        });
        if (started.total === 1) go(["runs", started.run_ids[0]]);
        else go(["batches", started.batch_id]);
      });
    },
  }, el("fieldset", {}, el("legend", {}, "Cases"), el("div", { class: "buttons" }, radios), part), models.box, repeats.box, label.box, key.box, place,
  el("div", { class: "buttons" }, submit));
  show(root, heading("Start runs"), el("p", { class: "intro" }, "Each case is put to each model. The runs go on in the service if you leave this page. ",
    el("a", { href: link(["batches"]) }, "See the batches"), "."), form);
};
