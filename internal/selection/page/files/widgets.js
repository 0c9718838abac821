// What several views show: headings, fields, messages, tables with pages.

import { Problem, get } from "./api.js";
import { el, named, newID, say, show } from "./dom.js";
import { remember } from "./route.js";
import { count } from "./words.js";

export const heading = (text, ...after) => el("div", { class: "heading" }, el("h1", { tabindex: "-1" }, text), ...after);

export const loading = (what) => el("p", { class: "quiet loading" }, `Loading ${what}…`);

// failure shows an error as text, and offers to try again.
export const failure = (err, again) => {
  const known = err instanceof Problem;
  const fields = known ? err.fields.map((f) => el("li", {}, f.location ? el("code", {}, f.location) : "", f.location ? ": " : "", f.message)) : [];
  return el("div", { class: "notice bad", role: "alert" },
    el("p", {}, el("b", {}, known && err.status ? `${err.title} (${err.status}): ` : "Error: "), err.message),
    fields.length ? el("ul", {}, fields) : "",
    again ? el("button", { type: "button", onclick: () => again() }, "Try again") : "");
};

export const empty = (...text) => el("p", { class: "empty" }, ...text);

// field is a label with its input. Options make it a list to choose from.
export const field = (label, props, options, hint) => {
  const id = newID("field");
  const hintID = hint ? id + "-hint" : undefined;
  const common = { id, ...props, "aria-describedby": hintID };
  let input;
  if (options) {
    // A list in place of a text is a group of options.
    const option = ([value, text]) => (Array.isArray(text) ? el("optgroup", { label: value }, text.map(option)) : el("option", { value }, text));
    input = el("select", { ...common, value: undefined }, options.map(option));
    if (props.value !== undefined) {
      input.value = props.value;
      if (input.selectedIndex < 0) { // what a link names, such as a label, may be in no list
        input.append(option([props.value, props.value]));
        input.value = props.value;
      }
    }
  } else if (props.rows) input = el("textarea", common);
  else input = el("input", { type: "text", autocomplete: "off", ...common });
  const box = el("div", { class: "field" }, el("label", { for: id }, label), input, hint ? el("small", { id: hintID }, hint) : "");
  return { box, input };
};

// suggest gives a field values to choose from. What is not among them can be written, too.
// It returns a function that replaces the values.
export const suggest = ({ box, input }) => {
  const values = el("datalist", { id: newID("values") });
  input.setAttribute("list", values.id);
  box.append(values);
  return (list) => show(values, list.map((value) => el("option", { value })));
};

export const button = (text, onclick, cls) => el("button", { type: "button", class: cls, onclick }, text);

// attempt runs an action of the user. Its button is disabled meanwhile, and an error
// is shown in place.
export const attempt = async (control, place, action) => {
  show(place);
  control.disabled = true;
  try {
    return await action();
  } catch (err) {
    if (err.name !== "AbortError") show(place, failure(err));
    return undefined;
  } finally {
    control.disabled = false;
    // A disabled control loses the focus.
    if (control.isConnected && document.activeElement === document.body) control.focus();
  }
};

// confirmed asks before something is lost.
export const confirmed = (text, verb) => new Promise((resolve) => {
  const title = newID("dialog");
  const dialog = el("dialog", { "aria-labelledby": title },
    el("p", { id: title }, text),
    el("div", { class: "buttons" },
      button(verb, () => dialog.close("yes"), "danger"), button("Keep", () => dialog.close("")))); // Escape keeps, too
  const leave = () => dialog.close(""); // the question belongs to the view
  addEventListener("hashchange", leave);
  dialog.addEventListener("close", () => {
    removeEventListener("hashchange", leave);
    resolve(dialog.returnValue === "yes");
    dialog.remove();
  });
  document.body.append(dialog);
  dialog.showModal();
});

// words gives the text of a title, whose elements stay where they are.
const words = (title) => [title].flat(Infinity).map((part) => part.textContent ?? part).join("");

// table makes a table. Columns are [title, (item) => content, class]; the first one
// is the row's header. On a narrow screen each row is a card, whose cells show the
// titles of their columns.
export const table = (caption, columns, items) => el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
  el("table", { class: "cards" },
    el("caption", { class: "hidden" }, caption),
    el("thead", {}, el("tr", {}, columns.map(([title, , cls]) => el("th", { scope: "col", class: cls }, title)))),
    el("tbody", {}, items.map((item) => el("tr", {}, columns.map(([, content, cls], i) =>
      el(i ? "td" : "th", i ? { class: cls, "data-title": words(columns[i][0]) } : { scope: "row", class: cls }, el("div", {}, content(item)))))))));

// pager shows which part of a list is shown, and leads to the others.
export const pager = (offset, limit, total, turn, what) => {
  const last = Math.min(offset + limit, total);
  const step = (text, to, off) => el("button", { type: "button", disabled: off, onclick: () => turn(to) }, text);
  return el("nav", { class: "pager", "aria-label": "Pages of " + what },
    step("First", 0, offset === 0),
    step("Previous", Math.max(0, offset - limit), offset === 0),
    el("span", { class: "number" }, total ? `${(offset + 1).toLocaleString("en")}–${last.toLocaleString("en")} of ${total.toLocaleString("en")}` : "none"),
    step("Next", offset + limit, last >= total),
    step("Last", Math.max(0, Math.ceil(total / limit) - 1) * limit, last >= total));
};

// list shows a list of the service page by page. The filters and the page are part
// of the URL.
//
//   parts    the path of the view
//   path     the path of the service
//   filters  [{name, label, options, value}]: inputs above the list
//   draw     (answer, reload) => content
//   ready    receives a function that reads the list again
//   none     content where the filter selects nothing
//   what     the words for one item and for several
export const list = async (root, { route, parts, path, filters, fixed, draw, ready, none, what, limit = 50 }) => {
  const state = { offset: Math.max(0, parseInt(route.query.get("offset"), 10) || 0) };
  for (const f of filters) state[f.name] = route.query.get(f.name) || "";
  const body = el("div");
  let latest = 0;
  const load = async () => {
    const mine = ++latest;
    body.setAttribute("aria-busy", "true");
    try {
      const answer = await get(path, { ...fixed, ...state, limit }, route.signal);
      if (mine !== latest) return;
      if (state.offset > 0 && state.offset >= answer.total) { // what was there has been deleted
        state.offset = Math.max(0, Math.ceil(answer.total / limit) - 1) * limit;
        await load();
        return;
      }
      const inside = body.contains(document.activeElement);
      const turn = (offset) => {
        state.offset = offset;
        change().then(() => root.querySelector("h1")?.scrollIntoView());
      };
      show(body, answer.total ? [el("p", { class: "quiet" }, count(answer.total, ...what)), draw(answer, load)] : none(Object.values(state).some(Boolean)),
        answer.total > limit || state.offset ? pager(state.offset, limit, answer.total, turn, what[1]) : "");
      say(count(answer.total, ...what), true);
      if (inside) root.querySelector("h1").focus({ preventScroll: true }); // the focused element was replaced
    } catch (err) {
      if (route.signal.aborted || mine !== latest) return;
      show(body, failure(err, load));
    } finally {
      if (mine === latest) body.removeAttribute("aria-busy");
    }
  };
  const change = () => {
    remember(parts, state);
    return load();
  };
  let timer = 0;
  const inputs = filters.map((f) => {
    const { box, input } = field(f.label, { value: state[f.name], type: f.options ? undefined : "search", class: "filter" }, f.options);
    input.addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        state[f.name] = input.value.trim();
        state.offset = 0;
        change();
      }, f.options ? 0 : 250);
    });
    return box;
  });
  root.append(filters.length ? el("search", { class: "filters" }, inputs) : "", body);
  show(body, loading(what[1]));
  if (ready) ready(load);
  await load();
};

// serverChooser is a group of boxes to tick, one for each server.
export const serverChooser = async (chosen, signal) => {
  const { items, total } = await get("/servers", { limit: 1000 }, signal);
  const boxes = items.map((s) => {
    const box = el("input", { type: "checkbox", value: s.name });
    box.checked = chosen.includes(s.name);
    return [box, el("label", { class: "check" }, box, named(s.name))];
  });
  return {
    none: items.length === 0,
    all: items,
    box: el("fieldset", { class: "servers" }, el("legend", {}, "Servers"), boxes.map(([, label]) => label),
      total > items.length ? el("p", { class: "quiet" }, `The first ${items.length} of ${total} servers.`) : ""),
    chosen: () => boxes.filter(([box]) => box.checked).map(([box]) => box.value),
  };
};
