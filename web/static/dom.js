// Helpers of all pages: elements, requests, announcements.
import { send } from "/static/service.js";

const SVG = "http://www.w3.org/2000/svg";

export const $ = (id) => document.getElementById(id);

export function make(tag, attributes = {}, ...children) {
  const svg = tag === "svg" || tag === "use";
  const made = svg ? document.createElementNS(SVG, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

export function fill(parent, ...children) {
  parent.replaceChildren(...children.filter((child) => child !== null && child !== undefined));
}

// The same, unless these are the children already.
export function refill(parent, children) {
  if (children.length !== parent.children.length || children.some((one, i) => parent.children[i] !== one)) fill(parent, ...children);
}

// For screen readers; the same text again is spoken again.
export function speak(text) {
  $("spoken").textContent = "";
  setTimeout(() => { $("spoken").textContent = text; }, 30);
}

export function path(where, options = {}) {
  const query = new URLSearchParams(options).toString();
  return query ? `${where}?${query}` : where;
}

async function refusal(response) {
  try { return (await response.json()).error; } catch { return `the server answered ${response.status}`; }
}

async function request(where, options) {
  let response;
  try {
    response = await send(where, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error("the server does not answer: is it still running?");
  }
  if (!response.ok) throw new Error(await refusal(response));
  return response;
}

export async function get(where, options = {}, signal = undefined) {
  return (await request(path(where, options), { signal })).json();
}

// Calls `each` with every line of JSON as it arrives; aborting also stops the work on the server.
export async function lines(where, each, { signal, body } = {}) {
  const options = body === undefined ? { signal } : { signal, body, method: "POST" };
  const reader = (await request(where, options)).body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const parts = (rest + value).split("\n");
    rest = parts.pop();
    for (const part of parts) each(JSON.parse(part));
  }
}

// The address of a run in the API.
export const runPath = (name) => `/api/runs/${name.split("/").map(encodeURIComponent).join("/")}`;

// The part of the address after #.
export const address = {
  read: () => Object.fromEntries(new URLSearchParams(location.hash.slice(1))),
  text: (values) => {
    const filled = Object.entries(values).filter(([, value]) => value !== "" && value !== null && value !== undefined);
    return `#${new URLSearchParams(Object.fromEntries(filled))}`;
  },
};
