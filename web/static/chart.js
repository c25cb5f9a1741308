// Figures: plotly's own script, fetched for the first figure unless it is in the page.
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

const drawn = new Map();

function themed(layout) {
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const narrow = innerWidth < 700;
  return {
    ...layout, autosize: true,
    font: { ...layout.font, color: colour("--soft"), size: narrow ? 11 : 13 },
    hoverlabel: { bgcolor: colour("--card"), bordercolor: colour("--edge"), font: { color: colour("--text") } },
    margin: narrow ? { ...layout.margin, l: 44, r: 6 } : layout.margin,
  };
}

export async function draw(element, figure) {
  drawn.set(element, figure);
  const Plotly = await plotly();
  // a newer one may have come meanwhile
  if (drawn.get(element) !== figure || !element.isConnected) return;
  const config = { displaylogo: false, responsive: true, displayModeBar: "hover" };
  await Plotly.react(element, figure.data, themed(figure.layout), config);
  element.dataset.drawn = "true";
}

document.addEventListener("theme", () => {
  for (const [element, figure] of drawn) {
    if (element.isConnected) draw(element, figure);
    else drawn.delete(element);
  }
});
