// The fragment of the URL names the view: #/path/parts?name=value.

// parse splits a fragment.
export const parse = (hash) => {
  const [path, query] = hash.replace(/^#/, "").split(/\?(.*)/s);
  let parts;
  try {
    parts = path.split("/").filter(Boolean).map(decodeURIComponent);
  } catch {
    parts = ["?"]; // broken escapes name no view
  }
  return { parts, query: new URLSearchParams(query || "") };
};

// link builds a fragment. Empty values are left out, lists repeat their name.
export const link = (parts, values) => {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values || {})) {
    for (const v of Array.isArray(value) ? value : [value]) {
      if (v !== undefined && v !== null && v !== "" && v !== 0) query.append(name, v);
    }
  }
  const text = query.toString();
  return "#/" + parts.map(encodeURIComponent).join("/") + (text ? "?" + text : "");
};

// go opens another view.
export const go = (parts, values) => {
  location.hash = link(parts, values);
};

// remember puts the state of the present view into the URL. The view stays.
export const remember = (parts, values) => {
  const hash = link(parts, values);
  if (hash !== location.hash) history.pushState(null, "", hash);
};
