// The map of the library. `PLOTLY` is the address of Plotly's script; `element`, `props`, `server`
// and `watch` are Gradio's. What is shown of a molecule comes from the server as safe HTML.

const part = (name) => element.querySelector(`.mc-map-${name}`);
const plot = part('plot');
const ring = part('ring');
const side = part('side');
const coarse = matchMedia('(pointer: coarse)').matches;
const WHOLE = { 'xaxis.range': [-1.08, 1.08], 'yaxis.range': [-1.08, 1.08] };
const seen = new Map();
let groups = [];
let wanted = null;
let kept = false;
let active = false;
let ready = false;

function say(sentence) {
  part('status').textContent = sentence;
  part('status').hidden = !sentence;
}

function loaded() {
  const root = (window.gradio_config?.root ?? '').replace(/\/$/, '');
  window.molclipPlotly ??= new Promise((done, failed) => {
    const script = document.createElement('script');
    script.src = root + PLOTLY;
    script.onload = done;
    script.onerror = failed;
    document.head.append(script);
  });
  return window.molclipPlotly;
}

function drawsFast() {
  try {
    return Boolean(document.createElement('canvas').getContext('webgl'));
  } catch {
    return false;
  }
}

const kind = drawsFast() ? 'scattergl' : 'scatter';
const ink = () => getComputedStyle(element).getPropertyValue('--body-text-color') || '#334155';

function dots(group) {
  return {
    type: kind,
    mode: 'markers',
    name: group.name,
    x: group.x,
    y: group.y,
    customdata: group.points,
    hoverinfo: 'none',
    marker: { size: coarse ? 5 : 4.5, opacity: 0.8, color: group.colour },
  };
}

async function draw() {
  try {
    const [told] = await Promise.all([server.map_points(), loaded()]);
    if (told.error) {
      // The server has said why above the map.
      element.querySelector('.mc-library-map').hidden = true;
      return;
    }
    groups = told.groups;
  } catch {
    say('The map cannot be drawn: its script or its points did not arrive. Reload the page.');
    return;
  }
  const axis = { visible: false, fixedrange: false };
  const layout = {
    margin: { l: 0, r: 0, t: 40, b: 0 }, // below the buttons
    paper_bgcolor: 'rgba(0,0,0,0)',
    plot_bgcolor: 'rgba(0,0,0,0)',
    showlegend: false,
    hovermode: 'closest',
    hoverdistance: 10,
    // A finger scrolls the page; it moves the map only where there is a mouse.
    dragmode: coarse ? false : 'pan',
    xaxis: { ...axis, range: WHOLE['xaxis.range'] },
    yaxis: { ...axis, range: WHOLE['yaxis.range'], scaleanchor: 'x' },
  };
  const config = { displayModeBar: false, responsive: true, scrollZoom: true, doubleClick: false };
  await window.Plotly.newPlot(plot, groups.map(dots), layout, config);
  ready = true;
  say('');
  part('buttons').hidden = false;
  legend();
  plot.on('plotly_hover', ({ points: [point] }) => hover(point));
  plot.on('plotly_unhover', () => { ring.hidden = true; });
  plot.on('plotly_click', ({ points: [point] }) => keep(point));
  plot.on('plotly_relayout', () => { ring.hidden = true; });
  place();
}

function hover(point) {
  if (point.customdata === undefined) return;
  if (point.bbox) {
    ring.style.left = `${(point.bbox.x0 + point.bbox.x1) / 2}px`;
    ring.style.top = `${(point.bbox.y0 + point.bbox.y1) / 2}px`;
    ring.hidden = false;
  }
  if (!kept) show(point.customdata);
}

function keep(point) {
  if (point.customdata === undefined) return;
  kept = !(kept && wanted === point.customdata) || coarse;
  side.classList.toggle('mc-kept', kept);
  show(point.customdata);
}

// The structure under the pointer, asked for once the pointer rests.
function show(point) {
  wanted = point;
  if (seen.has(point)) {
    side.innerHTML = seen.get(point);
    return;
  }
  setTimeout(async () => {
    if (wanted !== point) return;
    try {
      const html = await server.map_molecule(point);
      seen.set(point, html);
      if (wanted === point) side.innerHTML = html;
    } catch {
      side.textContent = 'The molecule did not arrive.';
    }
  }, 80);
}

function legend() {
  part('legend').replaceChildren(...groups.map((group, at) => {
    const button = document.createElement('button');
    button.type = 'button';
    button.setAttribute('aria-pressed', 'true');
    button.style.setProperty('--dot', group.colour);
    button.textContent = `${group.name} (${group.points.length.toLocaleString('en')})`;
    button.addEventListener('click', () => {
      const shown = button.getAttribute('aria-pressed') !== 'true';
      button.setAttribute('aria-pressed', String(shown));
      window.Plotly.restyle(plot, { visible: shown }, [at]);
    });
    const item = document.createElement('li');
    item.append(button);
    return item;
  }));
}

// Where the question lies: rings around the molecules it was placed by, a star between them.
function place() {
  if (!ready) return;
  const old = plot.data.length - groups.length;
  const made = [];
  if (props.value) {
    const { x, y, nearest } = JSON.parse(props.value);
    const at = new Map();
    groups.forEach((group) => group.points.forEach((p, i) => at.set(p, [group.x[i], group.y[i]])));
    const near = nearest.map((p) => at.get(p));
    made.push({
      type: kind, mode: 'markers', x: near.map((p) => p[0]), y: near.map((p) => p[1]),
      customdata: nearest, hoverinfo: 'none',
      marker: { size: 12, color: 'rgba(0,0,0,0)', line: { width: 2, color: ink() } },
    }, {
      type: kind, mode: 'markers', x: [x], y: [y], hoverinfo: 'none',
      marker: { size: 22, symbol: 'star', color: '#ffcf33', line: { width: 2, color: '#1f2937' } },
    });
  }
  const gone = Array.from({ length: old }, (_, i) => groups.length + i);
  (gone.length ? window.Plotly.deleteTraces(plot, gone) : Promise.resolve()).then(() => {
    if (made.length) window.Plotly.addTraces(plot, made);
  });
}

function zoom(factor) {
  if (!factor) {
    window.Plotly.relayout(plot, { ...WHOLE, dragmode: coarse ? false : 'pan' });
    return;
  }
  // A part of the map can be moved by a finger too.
  const ranges = { dragmode: 'pan' };
  for (const name of ['xaxis', 'yaxis']) {
    const [low, high] = plot._fullLayout[name].range;
    const middle = (low + high) / 2;
    const half = ((high - low) / 2) * factor;
    ranges[`${name}.range`] = [middle - half, middle + half];
  }
  window.Plotly.relayout(plot, ranges);
}

part('buttons').addEventListener('click', (event) => {
  const button = event.target.closest('button');
  if (button) zoom(Number(button.dataset.zoom));
});
if (coarse) {
  side.querySelector('p').textContent =
    'Tap a molecule to see it. The buttons zoom; a finger moves what is zoomed.';
}
// The wheel scrolls the page until the visitor has clicked on the map.
const stage = part('stage');
stage.addEventListener('pointerdown', () => { active = true; });
stage.addEventListener('pointerleave', () => { active = false; });
stage.addEventListener('wheel', (event) => { if (!active) event.stopPropagation(); }, true);
watch('value', place);
new MutationObserver(() => { if (props.value) place(); })
  .observe(document.body, { attributes: true, attributeFilter: ['class'] });
draw();
