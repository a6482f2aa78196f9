'use strict';
// A kernel's section: headline, figures, and charts of one launch.

const stallColours = new Map();
const stallColour = (reason) => {
  if (!stallColours.has(reason)) stallColours.set(reason, palette[stallColours.size % palette.length]);
  return stallColours.get(reason);
};
// The same colour for a reason in every chart.
['long_scoreboard', 'short_scoreboard', 'barrier', 'wait', 'not_selected', 'selected', 'mio_throttle', 'lg_throttle', 'math_pipe_throttle',
  'dispatch_stall', 'branch_resolving', 'no_instruction', 'membar', 'drain', 'gmma'].forEach(stallColour);

const severalGpus = new Set(report.sections.filter((one) => one.kind === 'kernel').map((one) => one.gpu)).size > 1;
const labelOf = (section) => (severalGpus ? `${section.kernel}, ${section.gpu}` : section.kernel);
const metricOf = (section, name) => section.result.metrics[name];
const roofsOf = (section) => report.gpus[section.result.provenance.config_hash];
const levelLabel = (roofs, name) => roofs.memory.find((one) => one.name === name)?.label ?? roofs.arithmetic.find((one) => one.name === name)?.label ?? name;

// "107,494 cycles (54.29 us), 4.943 TFLOP/s, ...": what is asked first, in words.
function headline(section) {
  const { derived } = section.result;
  const cycles = metricOf(section, 'gpc__cycles_elapsed.max');
  const ns = metricOf(section, 'gpu__time_duration.sum');
  const words = [`On ${section.gpu} it takes `, exact(`${short(cycles)} cycles`, cycles, 'cycle'), ' (', exact(duration(ns), ns, 'ns'), ')'];
  if (derived.tflops !== undefined && derived.tflops > 0) words.push(', ', exact(`${short(derived.tflops)} TFLOP/s`, derived.tflops, 'TFLOP/s'));
  if (derived.pct_of_peak > 0) words.push(', ', exact(percent(derived.pct_of_peak), derived.pct_of_peak, '%'), ' of the peak');
  words.push('. Bottleneck: ', element('strong', {}, derived.bottleneck_reason), '.');
  const { roofline } = section;
  if (roofline.roof !== undefined) {
    const share = (100 * roofline.flop_per_second) / roofline.roof_flop_per_second;
    words.push(` Its lowest roof, ${levelLabel(roofsOf(section), roofline.roof)}, allows `,
      exact(scaled(roofline.roof_flop_per_second, 'FLOP/s'), roofline.roof_flop_per_second, 'FLOP/s'), `; it reaches ${percent(share)} of that.`);
  }
  return element('p', { class: 'headline' }, words);
}

function keyFigures(section) {
  const { derived, provenance } = section.result;
  const items = [];
  const add = (name, value, unit, text) => {
    if (value !== undefined && value !== null) items.push(element('div', {}, element('dt', {}, name), element('dd', {}, exact(text ?? `${short(value)}${unit ? ` ${unit}` : ''}`, value, unit))));
  };
  const bytes = metricOf(section, 'dram__bytes_read.sum');
  const written = metricOf(section, 'dram__bytes_write.sum');
  add('L1 hit rate', derived.l1_hit_rate_pct, '%');
  add('L2 hit rate', derived.l2_hit_rate_pct, '%');
  add('HBM read', bytes, 'byte', scaled(bytes, 'B'));
  add('HBM written', written, 'byte', scaled(written, 'B'));
  add('HBM bandwidth', derived.dram_bandwidth_pct, '% of peak');
  add('Wavefronts over conflict-free', derived.shared_conflict_factor, '');
  add('Occupancy', derived.occupancy_pct, `%, by ${derived.occupancy_limiter}`);
  add('... as it was', derived.achieved_occupancy_pct, '%');
  add('CTAs per SM', derived.ctas_per_sm, '');
  add('Waves', derived.waves, '');
  if (provenance.cycles_low !== provenance.cycles_high)
    items.push(element('div', {}, element('dt', {}, '90 % interval of the cycles'), element('dd', {}, number(provenance.cycles_low), ' to ', number(provenance.cycles_high))));
  return element('dl', { class: 'figures' }, items);
}

// The roofs as lines and each kernel as one point for every level. Both axes are logarithmic.
function rooflineFigure(sections, title, level) {
  const roofs = roofsOf(sections[0]);
  const known = sections.filter((one) => one.roofline.roof !== undefined);
  const points = known.flatMap((one) => one.roofline.levels.map((at) => ({
    kernel: labelOf(one), level: levelLabel(roofs, at.level), x: at.flop_per_byte, y: one.roofline.flop_per_second, lowest: at.level === one.roofline.roof,
    bytes: at.bytes, allows: at.allows_flop_per_second,
  })));
  const ceilings = roofs.arithmetic.map((one) => ({ label: one.label, y: one.nominal }));
  const crowded = (one) => ceilings.some((other) => other.y > one.y && other.y < 1.9 * one.y);
  const top = Math.max(...ceilings.map((one) => one.y));
  const xs = points.map((one) => one.x);
  const left = 10 ** Math.floor(Math.log10(Math.min(0.1, ...xs) / 1.5));
  const right = 10 ** Math.ceil(Math.log10(Math.max(100, ...xs) * 1.5));
  const bottom = 10 ** Math.floor(Math.log10(Math.min(1e12, ...points.map((one) => one.y)) / 2));
  const lines = roofs.memory.flatMap((one) => {
    const from = Math.max(left, bottom / one.nominal);
    const to = Math.min(right, top / one.nominal);
    return [{ level: one.label, x: from, y: from * one.nominal }, { level: one.label, x: to, y: to * one.nominal }];
  });
  const levels = { domain: roofs.memory.map((one) => one.label), range: palette.slice(0, roofs.memory.length) };
  const shapes = { domain: levels.domain, range: ['square', 'triangle-up', 'diamond', 'circle'] };
  // One kernel: colours are levels. Several: colours are kernels, as long as they can be told apart.
  const names = known.map(labelOf);
  const several = sections.length > 1;
  const levelKey = { title: 'bytes counted at', orient: 'bottom', columns: 2 };
  const inKey = several && names.length <= 12;
  const pointColour = !several ? { field: 'level', type: 'nominal', scale: levels, legend: levelKey }
    : { field: 'kernel', type: 'nominal', scale: { domain: names, range: names.map((unused, i) => palette[(i + 4) % palette.length]) }, legend: inKey ? { title: 'kernel', orient: 'bottom', direction: 'vertical', columns: 1, labelLimit: 300 } : null };
  const x = { field: 'x', type: 'quantitative' };
  const y = { field: 'y', type: 'quantitative' };
  const roofWords = (all, dy) => ({ data: { values: all.map((one) => ({ ...one, x: right, words: `${one.label}, ${scaled(one.y, 'FLOP/s')}` })) },
    mark: { type: 'text', align: 'right', dx: -4, dy, fontSize: 10 }, encoding: { x, y, text: { field: 'words' } } });
  const spec = (width) => ({
    height: width < 500 ? 320 : 380,
    ...(several ? { resolve: { scale: { color: 'independent' } } } : {}),
    ...(width < 500 ? { config: { legend: { layout: { bottom: { direction: 'vertical', anchor: 'start' } } } } } : {}),
    layer: [
      { data: { values: lines }, mark: { type: 'line', strokeWidth: 1.6 }, encoding: { x, y,
        color: { field: 'level', type: 'nominal', scale: levels, legend: several ? { title: 'roof of', orient: 'bottom', columns: width < 500 ? 2 : 4 } : levelKey } } },
      { name: 'ink', data: { values: ceilings.map((one) => ({ ...one, x: left, x2: right })) }, mark: { type: 'rule', strokeWidth: 1.2, color: '#333b47' }, encoding: { x, x2: { field: 'x2' }, y } },
      roofWords(ceilings.filter((one) => !crowded(one)), -6),
      roofWords(ceilings.filter(crowded), 8),
      { data: { values: points }, mark: { type: 'point', filled: true, opacity: 1, strokeWidth: 1 }, encoding: {
        x: { ...x, scale: { type: 'log', domain: [left, right] }, title: 'FLOP per byte moved at the level', axis: { values: powersOfTen(left, right), format: '~g' } },
        y: { ...y, scale: { type: 'log', domain: [bottom, top * 2.2] }, title: 'FLOP/s', axis: { values: powersOfTen(bottom, 1e16), format: '~s' } },
        color: pointColour,
        shape: { field: 'level', type: 'nominal', scale: shapes, legend: several ? { ...levelKey, symbolFillColor: '#8a94a3', symbolStrokeColor: '#8a94a3' } : levelKey },
        size: { condition: { test: 'datum.lowest', value: 190 }, value: 80 },
        tooltip: [{ field: 'kernel' }, { field: 'level' }, { field: 'x', title: 'FLOP/byte', format: '.5~g' }, { field: 'y', title: 'FLOP/s', format: '.5~g' },
          { field: 'bytes', title: 'byte' }, { field: 'allows', title: 'the level allows, FLOP/s', format: '.5~g' }] } },
    ],
  });
  return figure({
    title, level, spec, wide: sections.length > 1,
    note: 'A kernel stands at its speed once for every level of memory; the large mark is the level with the lowest roof. Lines are nominal.',
    label: `${title}: ${known.map((one) => `${labelOf(one)} reaches ${scaled(one.roofline.flop_per_second, 'FLOP/s')}, lowest roof ${levelLabel(roofs, one.roofline.roof)}`).slice(0, 6).join('; ')}`,
    table: () => ({
      columns: [{ name: 'kernel', text: true }, { name: 'level', text: true }, { name: 'bytes', unit: 'byte' }, { name: 'intensity', unit: 'FLOP/byte' },
        { name: 'reached', unit: 'FLOP/s' }, { name: 'the level allows', unit: 'FLOP/s' }],
      rows: points.map((one) => [one.kernel, one.level, one.bytes, one.x, one.y, one.allows]),
    }),
  }).node;
}

function trafficFigure(section) {
  const { levels, least_read: leastRead, least_written: leastWritten, every_cta: every } = section.traffic.kernels[0];
  const values = levels.flatMap((one) => [{ level: one.label, what: 'read', bytes: one.read }, { level: one.label, what: 'written', bytes: one.written }]);
  const least = [leastRead, leastWritten].filter((one) => one !== null);
  const hbm = levels.find((one) => one.level === 'hbm');
  const note = leastRead > 0 ? `HBM reads ${short(hbm.read / leastRead)} times the least that any kernel could read.` : 'Bytes asked for by lanes, and moved at each level.';
  return figure({
    title: 'Traffic by level', note: every ? note : `${note} What lanes ask is scaled up from a part of the CTAs.`,
    label: `Traffic by level: ${levels.map((one) => `${one.label} ${scaled(one.read + one.written, 'B')}`).join(', ')}`,
    spec: () => ({
      height: 30 * levels.length, data: { values }, mark: { type: 'bar' },
      encoding: {
        y: { field: 'level', type: 'nominal', sort: null, title: null },
        x: { field: 'bytes', type: 'quantitative', title: 'byte', axis: { labelExpr: siLabel, tickCount: 5 } },
        color: { field: 'what', type: 'nominal', scale: { domain: ['read', 'written'], range: palette.slice(0, 2) }, legend: { title: null, orient: 'bottom' } },
        tooltip: [{ field: 'level' }, { field: 'what' }, { field: 'bytes', title: 'byte' }],
      },
    }),
    table: () => ({
      columns: [{ name: 'level', text: true }, { name: 'read', unit: 'byte' }, { name: 'written', unit: 'byte' }],
      rows: [...levels.map((one) => [one.label, one.read, one.written]), ...(least.length ? [['least that HBM must move', leastRead ?? '', leastWritten ?? '']] : [])],
    }),
  }).node;
}

// Bars of one value each, the longest first. values: [{name, value}].
function barsFigure(title, note, values, unit, colour) {
  const shown = values.filter((one) => one.value > 0).sort((a, b) => b.value - a.value);
  return figure({
    title, note, label: `${title}: ${shown.slice(0, 5).map((one) => `${one.name} ${short(one.value)} ${unit}`).join(', ')}`,
    spec: () => ({
      height: Math.max(60, 22 * shown.length), data: { values: shown },
      encoding: { y: { field: 'name', type: 'nominal', sort: null, title: null } },
      layer: [
        { mark: { type: 'bar' }, encoding: { x: { field: 'value', type: 'quantitative', title: unit, axis: { tickCount: 5 } },
          ...(colour ? { color: { field: 'name', type: 'nominal', legend: null, scale: { domain: shown.map((one) => one.name), range: shown.map((one) => colour(one.name)) } } } : {}),
          tooltip: [{ field: 'name' }, { field: 'value', title: unit }] } },
        { transform: [{ calculate: "format(datum.value, '.3~g')", as: 'words' }], mark: { type: 'text', align: 'left', dx: 4, fontSize: 10 },
          encoding: { x: { field: 'value', type: 'quantitative' }, text: { field: 'words' } } },
      ],
    }),
    table: () => ({ columns: [{ name: title.toLowerCase(), text: true }, { name: 'value', unit }], rows: values.map((one) => [one.name, one.value]) }),
  }).node;
}

function utilisationFigure(section) {
  const values = Object.entries(section.result.derived.utilisation_pct).map(([name, value]) => ({ name: name.replaceAll('_', ' '), value }));
  return barsFigure('How busy each resource was', 'From 65 % on, queues in front of a resource decide the time.', values, '%');
}

const stallMetric = /^smsp__average_warps_issue_stalled_(.*)_per_issue_active\.ratio$/;

function stallFigure(section) {
  const values = Object.entries(section.result.metrics).flatMap(([name, value]) => {
    const found = stallMetric.exec(name);
    return found ? [{ name: found[1], value }] : [];
  });
  return barsFigure('What warps waited for', 'Warps that wait, for each instruction issued; by reason, as Nsight Compute names them.', values, 'warps per issue', stallColour);
}

const baseName = (path) => path.slice(path.lastIndexOf('/') + 1);
const at = (columns, name, row) => columns[name]?.[row] ?? null;

// "gemm_tiled.cuh:37", "0x01b0"
function placeOf(lines, row) {
  const { columns } = lines;
  if (lines.by === 'source') return at(columns, 'file', row) ? `${baseName(at(columns, 'file', row))}:${at(columns, 'line', row)}` : 'no line known';
  return at(columns, 'address', row) ?? `#${at(columns, 'index', row) ?? 0}`;
}

function lineFigure(section) {
  const { lines } = section;
  const stalls = lines.columns.stall_cycles ?? {};
  const reasons = Object.keys(stalls);
  const rows = Math.min(lines.rows, 16);
  const values = [];
  const names = [];
  for (let row = 0; row < rows; row += 1) {
    const name = `${placeOf(lines, row)}  ${clipped(at(lines.columns, 'text', row) ?? '', 46)}`;
    names.push(name);
    for (const reason of reasons) if (stalls[reason][row] > 0) values.push({ name, row, reason, cycles: stalls[reason][row], share: (100 * stalls[reason][row]) / lines.total_samples });
  }
  const used = reasons.filter((reason) => values.some((one) => one.reason === reason));
  const kind = lines.by === 'source' ? 'source line' : 'instruction';
  return figure({
    title: `Waits by ${kind}`, wide: true,
    note: `The ${rows} hottest of ${lines.of}: share of all cycles that warps stood in front of ${lines.by === 'source' ? 'its instructions' : 'it'}, by reason. No source line is known where instructions are listed.`.replace(lines.by === 'source' ? ' No source line is known where instructions are listed.' : '\u0000', ''),
    label: `Waits by ${kind}; the hottest is ${names[0] ?? 'none'}`,
    spec: (width) => ({
      height: 22 * rows, data: { values },
      mark: { type: 'bar' },
      encoding: {
        y: { field: 'row', type: 'ordinal', title: null, axis: { labelExpr: labelsOf(names, width < 500 ? 22 : 70), labelFont: 'ui-monospace, monospace', labelLimit: width < 500 ? 150 : 0.45 * width } },
        x: { field: 'share', type: 'quantitative', title: '% of all samples', axis: { tickCount: 5 } },
        color: { field: 'reason', type: 'nominal', scale: { domain: used, range: used.map(stallColour) }, legend: { title: null, orient: 'bottom', columns: width < 500 ? 2 : 6 } },
        tooltip: [{ field: 'name', title: 'line' }, { field: 'reason' }, { field: 'cycles', title: 'warp cycles' }, { field: 'share', title: '% of all samples', format: '.4~g' }],
      },
    }),
  }).node;
}

// A formula of Vega that gives each row its words.
function labelsOf(words, most) {
  return words.map((word, row) => `datum.value === ${row} ? ${JSON.stringify(clipped(word, most))} : `).join('') + "''";
}

function lineTable(section) {
  const { lines } = section;
  const { columns } = lines;
  const stalls = columns.stall_cycles ?? {};
  const rest = [...Object.entries(stalls).map(([name, values]) => ({ name: `waits: ${name}`, unit: 'warp cycles', values })),
    ...Object.entries(columns.metrics ?? {}).map(([name, values]) => ({ name, values })), ...(columns.tag_cycles ? [{ name: 'tag_cycles', unit: 'cycle', values: columns.tag_cycles }] : [])];
  const head = [{ name: lines.by === 'source' ? 'line' : 'instruction', text: true }, { name: 'samples', unit: '%' }, { name: 'main reason', text: true }, { name: 'text', text: true }];
  const rows = (cells) => Array.from({ length: lines.rows }, (unused, row) => cells(row));
  const mainReason = (row) => {
    const most = Object.entries(stalls).filter(([name]) => name !== 'selected').map(([name, values]) => [name, values[row]]).sort((a, b) => b[1] - a[1])[0];
    return most && most[1] > 0 ? most[0] : '';
  };
  const share = (row) => {
    const value = at(columns, 'samples_pct', row) ?? 0;
    const bar = element('span', { class: 'bar', 'aria-hidden': 'true' });
    bar.style.setProperty('--share', `${value}%`);
    return element('span', { class: 'share' }, exact(short(value), value, '%'), bar);
  };
  const code = (row) => element('code', {}, at(columns, 'text', row) ?? '');
  const first = plainTable(`The hottest lines of ${labelOf(section)}`, head, rows((row) => [placeOf(lines, row), share(row), mainReason(row), code(row)]), {});
  return element('div', { class: 'wide lines' }, first,
    dataTable('every counter of these lines', () => ({ columns: [head[0], ...rest], rows: rows((row) => [placeOf(lines, row), ...rest.map((one) => one.values[row])]) })));
}

function gridFigure(section, grid, level) {
  const { example } = grid;
  const place = grid.place.file ? `${baseName(grid.place.file)}:${grid.place.line}` : (grid.place.address ?? '');
  const kind = grid.shared ? 'wavefronts' : 'sectors';
  const title = `${grid.access}${place ? ` at ${place}` : ''}`;
  const columns = grid.shared ? [{ name: 'lane' }, { name: 'bank' }, { name: 'pass' }] : [{ name: 'lane' }, { name: 'line' }, { name: 'word' }];
  const rows = example.lane.map((lane, i) => (grid.shared ? [lane, example.bank[i], example.pass[i]] : [lane, example.line[i], example.word[i]]));
  const per = (value) => short(value / grid.requests);
  const words = `${short(grid.requests)} requests with ${per(grid.cost)} ${kind} each in the mean; ${per(grid.ideal)} would do. The picture is the worst of them, with ${short(example.cost)} where ${short(example.ideal)} would do.`;
  const spec = grid.shared ? bankSpec(section, example) : wordSpec(example);
  return figure({ title, level, note: `${words}${grid.why ? ` ${grid.why}` : ''}`, label: `${title}: ${words}`, spec, table: () => ({ columns, rows }) }).node;
}

// Lanes down, banks across; the colour is the pass in which the lane's word is served.
function bankSpec(section, example) {
  const { banks } = section.accesses;
  const values = example.lane.map((lane, i) => ({ lane, bank: example.bank[i], pass: example.pass[i] }));
  const most = Math.max(...example.pass);
  const every = (count) => Array.from({ length: count }, (unused, i) => i);
  return (width) => ({
    height: Math.min(340, width * 0.8), data: { values }, mark: { type: 'rect', stroke: null },
    encoding: {
      x: { field: 'bank', type: 'ordinal', scale: { domain: every(banks), paddingInner: 0.08 }, axis: { values: every(banks / 4).map((i) => 4 * i), labelAngle: 0, grid: false } },
      y: { field: 'lane', type: 'ordinal', scale: { domain: every(32), paddingInner: 0.08 }, axis: { values: every(8).map((i) => 4 * i), grid: false } },
      color: { field: 'pass', type: 'quantitative', title: 'served in pass', scale: { domain: [1, Math.max(2, most)], range: ['#3b78c3', '#e0a04a', '#b8320f'] },
        legend: most === 1 ? null : { orient: 'bottom', format: 'd', gradientLength: Math.min(200, width / 2), tickMinStep: 1 } },
      tooltip: [{ field: 'lane' }, { field: 'bank' }, { field: 'pass' }],
    },
  });
}

// Lines down, words across: asked for by a lane, or fetched with it because its sector is.
function wordSpec(example) {
  const asked = new Map();
  example.lane.forEach((lane, i) => {
    const key = example.line[i] * 32 + example.word[i];
    asked.set(key, [...(asked.get(key) ?? []), lane]);
  });
  const sectors = new Set([...asked.keys()].map((key) => Math.floor(key / 8)));
  const values = [...sectors].flatMap((sector) => Array.from({ length: 8 }, (unused, i) => {
    const key = sector * 8 + i;
    return { line: Math.floor(key / 32), word: key % 32, what: asked.has(key) ? 'asked for' : 'fetched with it', lanes: (asked.get(key) ?? []).join(' ') };
  }));
  const words = Array.from({ length: 32 }, (unused, i) => i);
  return (width) => ({
    height: Math.max(40, Math.min(340, 16 * example.lines)), data: { values }, mark: { type: 'rect' },
    encoding: {
      x: { field: 'word', type: 'ordinal', title: 'word of 4 bytes in the line', scale: { domain: words, paddingInner: 0.08 }, axis: { values: words.filter((i) => i % 8 === 0), labelAngle: 0, grid: false } },
      y: { field: 'line', type: 'ordinal', title: 'line', scale: { domain: Array.from({ length: example.lines }, (unused, i) => i), paddingInner: 0.08 }, axis: { grid: false, labelOverlap: true } },
      color: { field: 'what', type: 'nominal', title: null, scale: { domain: ['asked for', 'fetched with it'], range: ['#3b78c3', '#dd9d86'] }, legend: { orient: 'bottom', columns: width < 300 ? 1 : 2 } },
      tooltip: [{ field: 'line' }, { field: 'word' }, { field: 'what' }, { field: 'lanes' }],
    },
  });
}

// Neighbouring bins of an SM that hold the same are one rectangle.
function smCells(sms) {
  const cells = [];
  sms.cta_cycles.forEach((row, sm) => {
    for (let from = 0; from < row.length;) {
      let to = from + 1;
      while (to < row.length && row[to] === row[from]) to += 1;
      if (row[from] > 0) cells.push({ sm, next: sm + 1, from: from * sms.bin_cycles, to: to * sms.bin_cycles, ctas: row[from] / sms.bin_cycles });
      from = to;
    }
  });
  return cells;
}

function smFigure(section) {
  const { sms } = section;
  const most = Math.max(1, Math.ceil(sms.most_cta_cycles / sms.bin_cycles));
  const part = sms.ctas < sms.of ? ` Shown are the ${short(sms.ctas)} of ${short(sms.of)} CTAs that were timed instruction by instruction; --sample off times all.` : '';
  return figure({
    title: 'CTAs on each SM over time', wide: true, note: `Mean CTAs that an SM held in each ${short(sms.bin_cycles)} cycles.${part}`,
    label: `CTAs on each of ${sms.sms} SMs over time, at most ${most}`,
    spec: (width) => ({
      height: width < 500 ? 300 : 360, data: { values: smCells(sms) }, mark: { type: 'rect', stroke: null },
      encoding: {
        x: { field: 'from', type: 'quantitative', title: 'cycle', scale: { domain: [0, sms.bins * sms.bin_cycles], nice: false }, axis: { tickCount: 6, grid: false } },
        x2: { field: 'to' },
        y: { field: 'sm', type: 'quantitative', title: 'SM', scale: { domain: [0, sms.sms], reverse: true, nice: false }, axis: { tickCount: 6, grid: false } },
        y2: { field: 'next' },
        color: { field: 'ctas', type: 'quantitative', title: 'CTAs', scale: { domain: [0, most], range: heat }, legend: { orient: 'bottom', gradientLength: 160, tickMinStep: 1, format: '~g' } },
        tooltip: [{ field: 'sm', title: 'SM' }, { field: 'from', title: 'from cycle' }, { field: 'to', title: 'until' }, { field: 'ctas', title: 'CTAs', format: '.4~g' }],
      },
    }),
    table: () => ({
      columns: [{ name: 'SM', text: true }, ...Array.from({ length: sms.bins }, (unused, i) => ({ name: `CTA cycles from ${i * sms.bin_cycles}` }))],
      rows: sms.cta_cycles.map((row, sm) => [`SM ${sm}`, ...row]),
    }),
  }).node;
}

// L2 hit rate and HBM bandwidth of each window of time.
function memoryFigures(section) {
  const { memory } = section;
  const mhz = memory.sm_mhz;
  const rows = memory.until.map((until, i) => {
    const from = i * memory.window_cycles;
    const cycles = until - from;
    const gbs = (bytes) => (bytes * mhz) / cycles / 1000;
    return { from, until, asked: memory.l2_read_sectors[i], hits: memory.l2_read_hit_sectors[i], read: memory.hbm_read_bytes[i], written: memory.hbm_write_bytes[i],
      rate: memory.l2_read_sectors[i] > 0 ? (100 * memory.l2_read_hit_sectors[i]) / memory.l2_read_sectors[i] : null, readGbs: gbs(memory.hbm_read_bytes[i]), writtenGbs: gbs(memory.hbm_write_bytes[i]) };
  });
  const part = section.result.provenance.sampled_fraction < 1 ? ' Of this sampled run, the beginning that was timed instruction by instruction.' : '';
  const x = { field: 'from', type: 'quantitative', title: 'cycle', scale: { domain: [0, memory.until.at(-1)], nice: false }, axis: { tickCount: 6 } };
  const table = () => ({
    columns: [{ name: 'from', unit: 'cycle' }, { name: 'until', unit: 'cycle' }, { name: 'L2 reads', unit: 'sector' }, { name: 'of these hits', unit: 'sector' }, { name: 'HBM read', unit: 'byte' }, { name: 'HBM written', unit: 'byte' }],
    rows: rows.map((one) => [one.from, one.until, one.asked, one.hits, one.read, one.written]),
  });
  const rates = figure({
    title: 'L2 hit rate over time', note: `Of the sectors that SMs read from L2, those found there.${part}`, table,
    spec: () => ({ height: 200, data: { values: rows.filter((one) => one.rate !== null) }, mark: { type: 'line', interpolate: 'step-after', color: palette[0] },
      encoding: { x, y: { field: 'rate', type: 'quantitative', title: '%', scale: { domain: [0, 100] }, axis: { tickCount: 5 } },
        tooltip: [{ field: 'from' }, { field: 'until' }, { field: 'rate', title: 'hit rate, %', format: '.4~g' }] } }),
  });
  const bandwidth = figure({
    title: 'HBM bandwidth over time', note: `The peak is ${scaled(roofsOf(section).memory.find((one) => one.name === 'hbm').nominal, 'B/s')}.${part}`, table,
    spec: () => ({ height: 200, data: { values: rows.flatMap((one) => [{ ...one, what: 'read', gbs: one.readGbs }, { ...one, what: 'written', gbs: one.writtenGbs }]) },
      mark: { type: 'line', interpolate: 'step-after' },
      encoding: { x, y: { field: 'gbs', type: 'quantitative', title: 'GB/s', axis: { tickCount: 5 } },
        color: { field: 'what', type: 'nominal', scale: { domain: ['read', 'written'], range: palette.slice(0, 2) }, legend: { title: null, orient: 'bottom' } },
        tooltip: [{ field: 'from' }, { field: 'until' }, { field: 'what' }, { field: 'gbs', title: 'GB/s', format: '.4~g' }] } }),
  });
  return [rates.node, bandwidth.node];
}

function metricTable(section) {
  const rows = () => Object.entries(section.result.metrics).map(([name, value]) => [name, value, report.metrics[name]?.unit ?? '', report.metrics[name]?.meaning ?? '']);
  return dataTable('every metric', () => ({ columns: [{ name: 'metric', text: true }, { name: 'value' }, { name: 'unit', text: true }, { name: 'meaning', text: true }], rows: rows() }));
}

function launchWords(section) {
  const { launch } = section.result;
  const parameters = Object.entries(launch.parameters).map(([name, value]) => `${name}=${value}`).join(' ');
  return element('p', { class: 'pale launch' }, `${section.result.kernel}: grid ${launch.grid.join(' x ')}, block ${launch.block.join(' x ')}, ${launch.registers_per_thread} registers per thread, ` +
    `${launch.static_smem_bytes + launch.dynamic_smem_bytes} byte of shared memory. ${parameters}`);
}

function fillKernel(section, into) {
  const grids = section.accesses.grids;
  into.append(headline(section), keyFigures(section), launchWords(section));
  if (section.result.approximations.length > 0)
    into.append(element('div', { class: 'notice' }, element('h3', {}, 'Left out of this answer'), element('ul', {}, section.result.approximations.map((one) => element('li', {}, one)))));
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
      element('p', { class: 'pale' }, `${grids.length} of ${section.accesses.of} accesses, those that take most beyond what they need first. Shared memory: lanes and banks, coloured by the pass that serves a word; global memory: the words of the lines that a warp touches.`),
      element('div', { class: 'charts grids' }, grids.map((grid) => gridFigure(section, grid, 4))));
  into.append(metricTable(section));
}

function kernelSection(section, index) {
  const body = element('div', { class: 'body' });
  const cycles = metricOf(section, 'gpc__cycles_elapsed.max');
  const holder = element('details', { class: 'part', id: `kernel-${index}` },
    element('summary', {}, element('h2', {}, breakable(labelOf(section))), element('span', { class: 'pale' }, ` ${short(cycles)} cycles, ${section.result.derived.bottleneck}`)), body);
  holder.addEventListener('toggle', () => {
    if (!holder.open || body.childElementCount > 0) return;
    fillKernel(section, body);
  });
  return holder;
}

// All kernels beside one another.
function overview(kernels) {
  const columns = [{ name: 'kernel', text: true }, { name: 'cycles', unit: 'cycle' }, { name: 'time', unit: 'us' }, { name: 'speed', unit: 'TFLOP/s' }, { name: 'L1 hits', unit: '%' }, { name: 'L2 hits', unit: '%' },
    { name: 'HBM read', unit: 'byte' }, { name: 'conflict factor' }, { name: 'occupancy', unit: '%' }, { name: 'bottleneck', text: true }];
  const cell = (value, text) => (value === undefined || value === null ? '' : exact(text ?? short(value), value));
  const rows = kernels.map(({ section, index }) => {
    const { derived } = section.result;
    const ns = metricOf(section, 'gpu__time_duration.sum');
    const read = metricOf(section, 'dram__bytes_read.sum');
    const link = element('a', { href: `#kernel-${index}`, click: () => openPart(`kernel-${index}`) }, breakable(labelOf(section)));
    return [link, cell(metricOf(section, 'gpc__cycles_elapsed.max')), cell(ns, short(ns / 1000)), cell(derived.tflops), cell(derived.l1_hit_rate_pct), cell(derived.l2_hit_rate_pct), cell(read, scaled(read, 'B')),
      cell(derived.shared_conflict_factor), cell(derived.occupancy_pct), derived.bottleneck.replaceAll('_', ' ')];
  });
  const made = element('section', { id: 'overview', 'aria-labelledby': 'overview-title' }, element('h2', { id: 'overview-title' }, 'Kernels'),
    plainTable('Kernels side by side; a heading sorts', columns, rows, { sortable: true }));
  const byGpu = new Map();
  for (const { section } of kernels) {
    const hash = section.result.provenance.config_hash;
    byGpu.set(hash, [...(byGpu.get(hash) ?? []), section]);
  }
  if (kernels.length > 1)
    for (const sections of byGpu.values())
      if (sections.some((one) => one.roofline.roof !== undefined)) made.append(element('div', { class: 'charts' }, rooflineFigure(sections, `Roofline, ${sections[0].gpu}`)));
  return made;
}
