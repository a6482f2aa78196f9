'use strict';
// Which lines of a kernel warps wait in front of.

const baseName = (path) => path.slice(path.lastIndexOf('/') + 1);
const at = (columns, name, row) => columns[name]?.[row] ?? null;

// "gemm_tiled.cuh:37", "0x01b0"
function placeOf(lines, row) {
  const { columns } = lines;
  if (lines.by === 'source')
    return at(columns, 'file', row) ? `${baseName(at(columns, 'file', row))}:${at(columns, 'line', row)}` : 'no line known';
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
    for (const reason of reasons)
      if (stalls[reason][row] > 0)
        values.push({ name, row, reason, cycles: stalls[reason][row], share: (100 * stalls[reason][row]) / lines.total_samples });
  }
  const used = reasons.filter((reason) => values.some((one) => one.reason === reason));
  const kind = lines.by === 'source' ? 'source line' : 'instruction';
  return figure({
    title: `Waits by ${kind}`,
    wide: true,
    note: `The ${rows} hottest of ${lines.of}: share of all cycles that warps stood in front of ${lines.by === 'source' ? 'its instructions' : 'it'}, by reason.${lines.by === 'source' ? '' : ' The kernel does not say its source lines.'}`,
    label: `Waits by ${kind}; the hottest is ${names[0] ?? 'none'}`,
    spec: (width) => ({
      height: 22 * rows,
      data: { values },
      mark: { type: 'bar' },
      encoding: {
        y: {
          field: 'row',
          type: 'ordinal',
          title: null,
          axis: {
            labelExpr: labelsOf(names, width < 500 ? 22 : 70),
            labelFont: 'ui-monospace, monospace',
            labelLimit: width < 500 ? 150 : 0.45 * width,
          },
        },
        x: { field: 'share', type: 'quantitative', title: '% of all samples', axis: { tickCount: 5 } },
        color: {
          field: 'reason',
          type: 'nominal',
          scale: { domain: used, range: used.map(stallColour) },
          legend: { title: null, orient: 'bottom', columns: width < 500 ? 2 : 6 },
        },
        tooltip: [
          { field: 'name', title: 'line' },
          { field: 'reason' },
          { field: 'cycles', title: 'warp cycles' },
          { field: 'share', title: '% of all samples', format: '.4~g' },
        ],
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
  const rest = [
    ...Object.entries(stalls).map(([name, values]) => ({ name: `waits: ${name}`, unit: 'warp cycles', values })),
    ...Object.entries(columns.metrics ?? {}).map(([name, values]) => ({ name, values })),
    ...(columns.tag_cycles ? [{ name: 'tag_cycles', unit: 'cycle', values: columns.tag_cycles }] : []),
  ];
  const head = [
    { name: lines.by === 'source' ? 'line' : 'instruction', text: true },
    { name: 'samples', unit: '%' },
    { name: 'main reason', text: true },
    { name: 'text', text: true },
  ];
  const rows = (cells) => Array.from({ length: lines.rows }, (unused, row) => cells(row));
  const mainReason = (row) => {
    const most = Object.entries(stalls)
      .filter(([name]) => name !== 'selected')
      .map(([name, values]) => [name, values[row]])
      .sort((a, b) => b[1] - a[1])[0];
    return most && most[1] > 0 ? most[0] : '';
  };
  const share = (row) => {
    const value = at(columns, 'samples_pct', row) ?? 0;
    const bar = element('span', { class: 'bar', 'aria-hidden': 'true' });
    bar.style.setProperty('--share', `${value}%`);
    return element('span', { class: 'share' }, exact(short(value), value, '%'), bar);
  };
  const code = (row) => element('code', {}, at(columns, 'text', row) ?? '');
  const first = plainTable(
    `The hottest lines of ${labelOf(section)}`,
    head,
    rows((row) => [placeOf(lines, row), share(row), mainReason(row), code(row)]),
    {},
  );
  return element(
    'div',
    { class: 'wide lines' },
    first,
    dataTable('every counter of these lines', () => ({
      columns: [head[0], ...rest],
      rows: rows((row) => [placeOf(lines, row), ...rest.map((one) => one.values[row])]),
    })),
  );
}
