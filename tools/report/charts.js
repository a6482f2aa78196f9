'use strict';
// Figures with a chart of Vega-Lite: drawn when they come into view, as SVG whose ink the page's style colours, so that a chart
// follows the theme and prints on white. Each has its data as a table, and saves itself as SVG and PNG.

const palette = [
  '#3b78c3',
  '#d07a1f',
  '#3a9660',
  '#a95bb0',
  '#c94f4f',
  '#7d8423',
  '#2592a0',
  '#97694a',
  '#7479cf',
  '#b8608a',
  '#5f8698',
  '#8a8a8a',
  '#b08a2e',
  '#4f9f2f',
  '#cf5f9f',
];
const heat = ['#2c3e8f', '#2a6fb0', '#2a9d9d', '#5fbf6b', '#c9cf3f', '#f5e34a']; // dark is little

const siWords = (value) => `(abs(${value}) < 1 ? format(${value}, '.3~g') : format(${value}, '.3~s'))`;
const siLabel = siWords('datum.value'); // of a linear axis: 120M
// Of a logarithmic one the scale chooses which ticks have words.
const siAxis = (scale, ticks) => (scale.type === 'log' ? { format: '~s', tickCount: ticks } : { labelExpr: siLabel, tickCount: ticks });
const powersOfTen = (from, to) => Array.from({ length: Math.round(Math.log10(to / from)) + 1 }, (unused, i) => from * 10 ** i);

const chartConfig = {
  aria: false,
  background: null,
  font: 'system-ui, sans-serif',
  view: { stroke: null },
  axis: {
    labelColor: '#333b47',
    titleColor: '#333b47',
    gridColor: '#dfe4ea',
    domainColor: '#8a94a3',
    tickColor: '#8a94a3',
    labelFontSize: 11,
    titleFontSize: 12,
    titleFontWeight: 'normal',
    labelLimit: 260,
  },
  legend: {
    labelColor: '#333b47',
    titleColor: '#333b47',
    labelFontSize: 11,
    titleFontSize: 12,
    titleFontWeight: 'normal',
    labelLimit: 260,
    titleLimit: 0,
  },
  text: { color: '#1c222b', fontSize: 11 },
  range: { category: palette, heatmap: heat, ramp: heat },
};

const figures = new Map(); // of charts in the page, by their element
const inView = new IntersectionObserver(
  (entries) => {
    for (const entry of entries) if (entry.isIntersecting) figures.get(entry.target)?.draw();
  },
  { rootMargin: '200px' },
);

class Chart {
  // spec(width): Vega-Lite without width's padding and config.
  constructor(name, spec) {
    this.name = name;
    this.spec = spec;
    // Vega names its own elements for screen readers, mark by mark; one name for the whole chart and a table say more.
    this.inside = element('div', { 'aria-hidden': 'true' });
    this.holder = element('div', { class: 'chart', role: 'img', 'aria-label': name }, this.inside);
    figures.set(this.holder, this);
    inView.observe(this.holder);
  }

  // Made again on the next draw(): what it shows, or how wide it is, has changed.
  change() {
    const seen = this.view !== undefined;
    this.drop();
    if (seen) this.draw();
  }

  drop() {
    this.view?.finalize();
    this.view = undefined;
  }

  draw() {
    const width = this.holder.clientWidth;
    if (width === 0 || (this.view && Math.abs(width - this.width) < 8)) return;
    this.drop();
    this.width = width;
    const spec = { $schema: undefined, autosize: { type: 'fit-x', contains: 'padding' }, width, ...this.spec(width) };
    const compiled = vegaLite.compile(spec, { config: chartConfig }).spec;
    this.inside.replaceChildren();
    this.view = new vega.View(vega.parse(compiled, null, { ast: true }), {
      renderer: 'svg',
      container: this.inside,
      hover: false,
      expr: vega.expressionInterpreter,
      loader: noLoader,
    });
    this.view.tooltip(showTip);
    this.view.run();
  }

  // What it shows on white, whichever theme the page has.
  async onWhite(make) {
    this.draw();
    const view = this.view;
    view.background('#ffffff');
    await view.runAsync();
    const made = await make(view);
    view.background(null);
    await view.runAsync();
    return made;
  }

  saveSvg() {
    return this.onWhite(async (view) => save(new Blob([await view.toSVG()], { type: 'image/svg+xml' }), `${fileName(this.title)}.svg`));
  }

  savePng() {
    return this.onWhite(async (view) => {
      const canvas = await view.toCanvas(2);
      return new Promise((done) => {
        canvas.toBlob((blob) => done(save(blob, `${fileName(this.title)}.png`)), 'image/png');
      });
    });
  }
}

// Charts hold their data; nothing is ever fetched.
const noLoader = {
  load: () => Promise.reject(new Error('a report loads nothing')),
  sanitize: () => Promise.reject(new Error('a report links nowhere')),
  http: () => Promise.reject(new Error('a report asks no network')),
  file: () => Promise.reject(new Error('a report reads no file')),
};

const fileName = (name) =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 80);

function save(blob, name) {
  const url = URL.createObjectURL(blob);
  const link = element('a', { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
  say(`Saved ${name}`);
}

const tip = element('div', { id: 'tip', hidden: true, 'aria-hidden': 'true' });
document.body.append(tip);

function showTip(handler, event, item, value) {
  tip.hidden = value === null || value === undefined || value === '';
  if (tip.hidden) return;
  const lines = typeof value === 'object' ? Object.entries(value).map(([key, one]) => `${key}: ${one}`) : [String(value)];
  tip.replaceChildren(...lines.map((line) => element('div', {}, line)));
  const left = Math.min(event.clientX + 14, window.innerWidth - tip.offsetWidth - 8);
  const top = event.clientY + 16 + tip.offsetHeight > window.innerHeight ? event.clientY - tip.offsetHeight - 10 : event.clientY + 16;
  tip.style.left = `${Math.max(4, left)}px`;
  tip.style.top = `${Math.max(4, top)}px`;
}

// A <figure>: title, a sentence, controls, the chart, its buttons and its table.
// {title, note, label: what a screen reader hears, spec, table(): {columns, rows}, controls: [nodes], wide, level: 3}
function figure(options) {
  const chart = new Chart(options.label ?? options.title, options.spec);
  chart.title = options.title;
  const button = (text, act) =>
    element('button', { type: 'button', class: 'small', 'aria-label': `Save ${options.title} as ${text}`, click: act }, text);
  const made = element(
    'figure',
    { class: options.wide ? 'wide' : '' },
    element(
      'figcaption',
      {},
      element(`h${options.level ?? 3}`, {}, options.title),
      options.note ? element('p', { class: 'pale' }, options.note) : null,
    ),
    options.controls ? element('div', { class: 'controls' }, options.controls) : null,
    chart.holder,
    element(
      'div',
      { class: 'save' },
      element('span', { class: 'pale', 'aria-hidden': 'true' }, 'Save'),
      button('SVG', () => chart.saveSvg()),
      button('PNG', () => chart.savePng()),
    ),
    options.table ? dataTable(options.title, options.table) : null,
  );
  return { node: made, chart };
}

function drawOpenCharts() {
  for (const chart of figures.values()) if (chart.holder.isConnected) chart.draw();
}

let resizing;
window.addEventListener('resize', () => {
  clearTimeout(resizing);
  resizing = setTimeout(() => {
    for (const chart of figures.values()) if (chart.view) chart.draw();
  }, 150);
});
window.addEventListener('beforeprint', drawOpenCharts);
