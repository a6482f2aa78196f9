'use strict';
// A kernel's section, and all kernels side by side.

function metricTable(section) {
  const rows = () =>
    Object.entries(section.result.metrics).map(([name, value]) => [
      name,
      value,
      report.metrics[name]?.unit ?? '',
      report.metrics[name]?.meaning ?? '',
    ]);
  return dataTable('every metric', () => ({
    columns: [{ name: 'metric', text: true }, { name: 'value' }, { name: 'unit', text: true }, { name: 'meaning', text: true }],
    rows: rows(),
  }));
}

function fillKernel(section, into) {
  const grids = section.accesses.grids;
  into.append(headline(section), keyFigures(section), launchWords(section));
  if (section.result.approximations.length > 0)
    into.append(
      element(
        'div',
        { class: 'notice' },
        element('h3', {}, 'Left out of this answer'),
        element(
          'ul',
          {},
          section.result.approximations.map((one) => element('li', {}, one)),
        ),
      ),
    );
  const charts = element('div', { class: 'charts' });
  if (section.roofline.roof !== undefined) charts.append(rooflineFigure([section], 'Roofline'));
  charts.append(trafficFigure(section), stallFigure(section), utilisationFigure(section));
  if (section.lines.rows > 0) charts.append(lineFigure(section), lineTable(section));
  if (section.memory) charts.append(...memoryFigures(section));
  if (section.sms) charts.append(smFigure(section));
  into.append(charts);
  if (grids.length > 0)
    into.append(
      element('h3', {}, 'Accesses, lane by lane'),
      element(
        'p',
        { class: 'pale' },
        `${grids.length} of ${section.accesses.of} accesses, those that take most beyond what they need first. Shared memory: lanes and banks, coloured by the pass that serves a word; global memory: the words of the lines that a warp touches.`,
      ),
      element(
        'div',
        { class: 'charts grids' },
        grids.map((grid) => gridFigure(section, grid, 4)),
      ),
    );
  into.append(metricTable(section));
}

function kernelSection(section, index) {
  const body = element('div', { class: 'body' });
  const cycles = metricOf(section, 'gpc__cycles_elapsed.max');
  const holder = element(
    'details',
    { class: 'part', id: `kernel-${index}` },
    element(
      'summary',
      {},
      element('h2', {}, breakable(labelOf(section))),
      element('span', { class: 'pale' }, ` ${short(cycles)} cycles, ${section.result.derived.bottleneck}`),
    ),
    body,
  );
  holder.addEventListener('toggle', () => {
    if (!holder.open || body.childElementCount > 0) return;
    fillKernel(section, body);
  });
  return holder;
}

// All kernels beside one another.
function overview(kernels) {
  const columns = [
    { name: 'kernel', text: true },
    { name: 'cycles', unit: 'cycle' },
    { name: 'time', unit: 'us' },
    { name: 'speed', unit: 'TFLOP/s' },
    { name: 'L1 hits', unit: '%' },
    { name: 'L2 hits', unit: '%' },
    { name: 'HBM read', unit: 'byte' },
    { name: 'conflict factor' },
    { name: 'occupancy', unit: '%' },
    { name: 'bottleneck', text: true },
  ];
  const cell = (value, text) => (value === undefined || value === null ? '' : exact(text ?? short(value), value));
  const rows = kernels.map(({ section, index }) => {
    const { derived } = section.result;
    const ns = metricOf(section, 'gpu__time_duration.sum');
    const read = metricOf(section, 'dram__bytes_read.sum');
    const link = element('a', { href: `#kernel-${index}`, click: () => openPart(`kernel-${index}`) }, breakable(labelOf(section)));
    return [
      link,
      cell(metricOf(section, 'gpc__cycles_elapsed.max')),
      cell(ns, short(ns / 1000)),
      cell(derived.tflops),
      cell(derived.l1_hit_rate_pct),
      cell(derived.l2_hit_rate_pct),
      cell(read, scaled(read, 'B')),
      cell(derived.shared_conflict_factor),
      cell(derived.occupancy_pct),
      derived.bottleneck.replaceAll('_', ' '),
    ];
  });
  const made = element(
    'section',
    { id: 'overview', 'aria-labelledby': 'overview-title' },
    element('h2', { id: 'overview-title' }, 'Kernels'),
    plainTable('Kernels side by side; a heading sorts', columns, rows, { sortable: true }),
  );
  const byGpu = new Map();
  for (const { section } of kernels) {
    const hash = section.result.provenance.config_hash;
    byGpu.set(hash, [...(byGpu.get(hash) ?? []), section]);
  }
  if (kernels.length > 1)
    for (const sections of byGpu.values())
      if (sections.some((one) => one.roofline.roof !== undefined))
        made.append(element('div', { class: 'charts' }, rooflineFigure(sections, `Roofline, ${sections[0].gpu}`)));
  return made;
}
