// Labels of dots, placed where they cover neither each other nor a dot; a label without room is left
// out, and the dot still has its name when it is pointed at.
const DISTANCES = [13, 24, 38, 54], ANGLES = [90, 270, 0, 180, 45, 135, 225, 315];
const LINE = 15, GAP = 2;

function box(x, y, width, height) {
  return { left: x - width / 2 - GAP, right: x + width / 2 + GAP, top: y - height / 2 - GAP, bottom: y + height / 2 + GAP };
}

function overlap(a, b) {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

function place(dot, width, taken, area) {
  for (const distance of DISTANCES) {
    for (const angle of ANGLES) {
      const cos = Math.cos(angle * Math.PI / 180), sin = Math.sin(angle * Math.PI / 180);
      const ax = cos * (distance + width / 2), ay = -sin * (distance + LINE / 4);
      const here = box(dot.x + ax, dot.y + ay, width, LINE);
      const inside = here.left >= 0 && here.right <= area.width && here.top >= 0 && here.bottom <= area.height;
      if (inside && !taken.some((other) => overlap(here, other))) return { ax, ay, here, far: distance > DISTANCES[0] };
    }
  }
  return null;
}

export async function placeLabels(Plotly, element) {
  const traces = (element.data ?? []).filter((trace) => trace.meta?.label);
  if (!traces.length) return;
  const { xaxis, yaxis, font } = element._fullLayout, area = { width: xaxis._length, height: yaxis._length };
  const pen = document.createElement("canvas").getContext("2d");
  pen.font = `${font.size}px ${font.family}`;
  const dots = traces.map((trace) => ({ trace, x: xaxis.d2p(trace.x[0]), y: yaxis.d2p(trace.y[0]) }));
  const taken = dots.map((dot) => box(dot.x, dot.y, 10, 10)), annotations = [];
  dots.sort((a, b) => Number(b.trace.meta.first) - Number(a.trace.meta.first));
  for (const dot of dots) {
    const text = dot.trace.meta.label, width = pen.measureText(text).width + 2;
    const spot = place(dot, width, taken, area);
    if (!spot) continue;
    taken.push(spot.here);
    const at = { x: xaxis.type === "log" ? Math.log10(dot.trace.x[0]) : dot.trace.x[0], y: dot.trace.y[0] };
    annotations.push({ ...at, text, ax: spot.ax, ay: spot.ay, showarrow: true, arrowhead: 0, arrowwidth: 1,
      arrowcolor: spot.far ? font.color : "rgba(0,0,0,0)", standoff: 5, borderpad: 0, font: { size: font.size } });
  }
  await Plotly.relayout(element, { annotations });
}
