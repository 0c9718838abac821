// Builds elements. Every text becomes a text node: nothing is parsed as markup.

const make = (e, props, children) => {
  for (const [name, value] of Object.entries(props || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (typeof value === "function") e.addEventListener(name.slice(2), value);
    else if (name === "value") e.value = value;
    else e.setAttribute(name, value === true ? "" : String(value));
  }
  append(e, children);
  return e;
};

const append = (e, children) => {
  for (const c of children) {
    if (Array.isArray(c)) append(e, c);
    else if (c !== undefined && c !== null && c !== false && c !== "") e.append(c);
  }
};

// el makes an element. Props are attributes; a function "onclick" is a listener.
export const el = (tag, props, ...children) => make(document.createElement(tag), props, children);

// svg is el for SVG.
export const svg = (tag, props, ...children) => make(document.createElementNS("http://www.w3.org/2000/svg", tag), props, children);

// named shows a name that somebody else chose: it does not turn the direction of
// the text beside it.
export const named = (text) => el("bdi", { class: "id" }, text);

// show replaces what an element holds.
export const show = (e, ...children) => {
  e.replaceChildren();
  append(e, children);
};

let numbers = 0;

// newID gives an id for an element that another one refers to.
export const newID = (what) => `${what}-${++numbers}`;

// say tells screen readers, and whoever looks at the foot of the page.
export const say = (text) => {
  document.getElementById("status").textContent = text;
};
