// Figures with their legends. plotly's script is fetched for the first one unless it is part of the
// page. A legend stands below its figure as buttons that show and hide lines, so that it covers
// nothing.
import { fill, make } from "/static/dom.js";
import { placeLabels } from "/static/labels.js";

const SYMBOLS = { circle: "●", square: "■", diamond: "◆", "triangle-up": "▲", cross: "✚", x: "✖", star: "★", "triangle-down": "▼" };
const NARROW = 700, HERO_HEIGHTS = { narrow: 270, wide: 350 };
// on a phone the text of a cell would be a dot, and a scale beside the cells takes the room of their names
const PHONE_HEAT = { texttemplate: "", colorbar: { orientation: "h", len: 0.84, y: -0.01, yanchor: "top", thickness: 10, ticksuffix: " %" } };
let loading = window.Plotly ? Promise.resolve(window.Plotly) : null;

function plotly() {
  loading ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = "/plotly.js";
    script.onload = () => resolve(window.Plotly);
    script.onerror = () => reject(new Error("plotly's script could not be read"));
    document.head.append(script);
  });
  return loading;
}

// by element: its figure, and by name whether a line is shown, where the reader has chosen
const drawn = new Map(), chosen = new WeakMap();

export function heightOf(element, layout) {
  const height = layout.height ?? 380;
  if (!element.closest(".hero") || height > 380) return height;
  return innerWidth < NARROW ? HERO_HEIGHTS.narrow : HERO_HEIGHTS.wide;
}

function themed(element, figure) {
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const narrow = innerWidth < NARROW, { layout } = figure;
  const crowded = narrow && figure.data.some((trace) => trace.texttemplate), tight = { dtick: 1, tickfont: { size: 9 } };
  return {
    ...layout, autosize: true, height: heightOf(element, layout),
    font: { ...layout.font, color: colour("--soft"), size: narrow ? 11 : 13 },
    hoverlabel: { bgcolor: colour("--card"), bordercolor: colour("--edge"), font: { color: colour("--text") } },
    margin: narrow ? { ...layout.margin, l: 44, r: 6 } : layout.margin,
    xaxis: crowded ? { ...layout.xaxis, ...tight, tickangle: -90 } : layout.xaxis,
    yaxis: { ...layout.yaxis, ...(crowded && tight), ...(narrow && layout.meta?.long_names && { showticklabels: false }) },
  };
}

const groupOf = (trace) => trace.legendgroup || trace.name;

function isShown(element, trace) {
  return chosen.get(element)?.get(groupOf(trace)) ?? trace.visible !== "legendonly";
}

function entry(element, figure, trace) {
  const shown = isShown(element, trace), symbol = SYMBOLS[trace.marker?.symbol] ?? "■";
  const glyph = make("span", { "aria-hidden": "true" }, trace.mode === "lines" ? "━" : symbol);
  glyph.style.color = (trace.mode === "markers" ? null : trace.line?.color) ?? trace.marker?.color ?? "";
  const toggle = () => {
    if (!chosen.has(element)) chosen.set(element, new Map());
    chosen.get(element).set(groupOf(trace), !shown);
    draw(element, figure).then(() => [...element.nextElementSibling.children].find((one) => one.dataset.name === trace.name)?.focus());
  };
  return make("button", { type: "button", "aria-pressed": String(shown), "data-name": trace.name, onclick: toggle }, glyph, ` ${trace.name}`);
}

function showLegend(element, figure) {
  const named = figure.data.filter((trace) => trace.name && trace.showlegend !== false);
  fill(element.nextElementSibling, ...(named.length > 1 ? named.map((trace) => entry(element, figure, trace)) : []));
}

export async function draw(element, figure) {
  drawn.set(element, figure);
  const Plotly = await plotly();
  // a newer figure may have arrived meanwhile
  if (drawn.get(element) !== figure || !element.isConnected) return;
  const config = { displaylogo: false, responsive: true, displayModeBar: "hover" };
  const data = figure.data.map((trace) => ({ ...trace, ...(innerWidth < NARROW && trace.texttemplate && PHONE_HEAT), visible: isShown(element, trace) }));
  showLegend(element, figure);
  await Plotly.react(element, data, themed(element, figure), config);
  await placeLabels(Plotly, element);
  element.dataset.drawn = "true";
}

function redraw() {
  for (const [element, figure] of drawn) {
    if (element.isConnected) draw(element, figure);
    else drawn.delete(element);
  }
}

let width = innerWidth;
addEventListener("resize", () => {
  if (innerWidth !== width) redraw();
  width = innerWidth;
});
document.addEventListener("theme", redraw);
