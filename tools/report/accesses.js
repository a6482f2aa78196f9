'use strict';
// Accesses of a kernel, lane by lane.

function gridFigure(section, grid, level) {
  const { example } = grid;
  const place = grid.place.file ? `${baseName(grid.place.file)}:${grid.place.line}` : (grid.place.address ?? `#${grid.place.index}`);
  const kind = grid.shared ? 'wavefronts' : 'sectors';
  const title = `${grid.access} at ${place}`;
  const columns = grid.shared
    ? [{ name: 'lane' }, { name: 'bank' }, { name: 'pass' }]
    : [{ name: 'lane' }, { name: 'line' }, { name: 'word' }];
  const rows = example.lane.map((lane, i) =>
    grid.shared ? [lane, example.bank[i], example.pass[i]] : [lane, example.line[i], example.word[i]],
  );
  const costs = (value) => counted(value, kind.slice(0, -1));
  const picture =
    example.cost > example.ideal
      ? `The picture is the worst of them, with ${costs(example.cost)} where ${short(example.ideal)} would do.`
      : 'The picture is one of them; none takes more than it needs.';
  const words = `${short(grid.requests)} requests with ${costs(grid.cost / grid.requests)} each in the mean; ${short(grid.ideal / grid.requests)} would do. ${picture}`;
  const spec = grid.shared ? bankSpec(section, example) : wordSpec(example);
  return figure({
    title,
    level,
    note: `${words}${grid.why ? ` ${grid.why}` : ''}`,
    label: `${title}: ${words}`,
    spec,
    table: () => ({ columns, rows }),
  }).node;
}

// Lanes down, banks across; the colour is the pass in which the lane's word is served.
function bankSpec(section, example) {
  const { banks } = section.accesses;
  const values = example.lane.map((lane, i) => ({ lane, bank: example.bank[i], pass: example.pass[i] }));
  const most = Math.max(...example.pass);
  const every = (count) => Array.from({ length: count }, (unused, i) => i);
  return (width) => ({
    height: Math.min(340, width * 0.8),
    data: { values },
    mark: { type: 'rect', stroke: null },
    encoding: {
      x: {
        field: 'bank',
        type: 'ordinal',
        scale: { domain: every(banks), paddingInner: 0.08 },
        axis: { values: every(banks / 4).map((i) => 4 * i), labelAngle: 0, grid: false },
      },
      y: {
        field: 'lane',
        type: 'ordinal',
        scale: { domain: every(32), paddingInner: 0.08 },
        axis: { values: every(8).map((i) => 4 * i), grid: false },
      },
      color: {
        field: 'pass',
        type: 'quantitative',
        title: 'served in pass',
        scale: { domain: [1, Math.max(2, most)], range: ['#3b78c3', '#e0a04a', '#b8320f'] },
        legend: most === 1 ? null : { orient: 'bottom', format: 'd', gradientLength: Math.min(200, width / 2), tickMinStep: 1 },
      },
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
  const values = [...sectors].flatMap((sector) =>
    Array.from({ length: 8 }, (unused, i) => {
      const key = sector * 8 + i;
      return {
        line: Math.floor(key / 32),
        word: key % 32,
        what: asked.has(key) ? 'asked for' : 'fetched with it',
        lanes: (asked.get(key) ?? []).join(' '),
      };
    }),
  );
  const words = Array.from({ length: 32 }, (unused, i) => i);
  return (width) => ({
    height: Math.max(40, Math.min(340, 16 * example.lines)),
    data: { values },
    mark: { type: 'rect' },
    encoding: {
      x: {
        field: 'word',
        type: 'ordinal',
        title: 'word of 4 bytes in the line',
        scale: { domain: words, paddingInner: 0.08 },
        axis: { values: words.filter((i) => i % 8 === 0), labelAngle: 0, grid: false },
      },
      y: {
        field: 'line',
        type: 'ordinal',
        title: 'line',
        scale: { domain: Array.from({ length: example.lines }, (unused, i) => i), paddingInner: 0.08 },
        axis: { grid: false, labelOverlap: true },
      },
      color: {
        field: 'what',
        type: 'nominal',
        title: null,
        scale: { domain: ['asked for', 'fetched with it'], range: ['#3b78c3', '#dd9d86'] },
        legend: { orient: 'bottom', columns: width < 300 ? 1 : 2 },
      },
      tooltip: [{ field: 'line' }, { field: 'word' }, { field: 'what' }, { field: 'lanes' }],
    },
  });
}
