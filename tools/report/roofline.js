'use strict';
// Kernels under the roofs of a GPU.

// The roofs as lines and each kernel as one point for every level. Both axes are logarithmic.
function rooflineFigure(sections, title, level) {
  const roofs = roofsOf(sections[0]);
  const known = sections.filter((one) => one.roofline.roof !== undefined);
  const points = known.flatMap((one) =>
    one.roofline.levels.map((at) => ({
      kernel: labelOf(one),
      level: levelLabel(roofs, at.level),
      x: at.flop_per_byte,
      y: one.roofline.flop_per_second,
      lowest: at.level === one.roofline.roof,
      bytes: at.bytes,
      allows: at.allows_flop_per_second,
    })),
  );
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
    return [
      { level: one.label, x: from, y: from * one.nominal },
      { level: one.label, x: to, y: to * one.nominal },
    ];
  });
  const levels = { domain: roofs.memory.map((one) => one.label), range: palette.slice(0, roofs.memory.length) };
  const shapes = { domain: levels.domain, range: ['square', 'triangle-up', 'diamond', 'circle'] };
  // One kernel: colours are levels. Several: colours are kernels, as long as they can be told apart.
  const names = known.map(labelOf);
  const several = sections.length > 1;
  const levelKey = { title: 'bytes counted at', orient: 'bottom', columns: 2 };
  const inKey = several && names.length <= 12;
  const pointColour = !several
    ? { field: 'level', type: 'nominal', scale: levels, legend: levelKey }
    : {
        field: 'kernel',
        type: 'nominal',
        scale: { domain: names, range: names.map((unused, i) => palette[(i + 4) % palette.length]) },
        legend: inKey ? { title: 'kernel', orient: 'bottom', direction: 'vertical', columns: 1, labelLimit: 300 } : null,
      };
  const x = { field: 'x', type: 'quantitative' };
  const y = { field: 'y', type: 'quantitative' };
  const roofWords = (all, dy) => ({
    data: { values: all.map((one) => ({ ...one, x: right, words: `${one.label}, ${scaled(one.y, 'FLOP/s')}` })) },
    mark: { type: 'text', align: 'right', dx: -4, dy, fontSize: 10 },
    encoding: { x, y, text: { field: 'words' } },
  });
  const spec = (width) => ({
    height: width < 500 ? 320 : 380,
    ...(several ? { resolve: { scale: { color: 'independent' } } } : {}),
    ...(width < 500 ? { config: { legend: { layout: { bottom: { direction: 'vertical', anchor: 'start' } } } } } : {}),
    layer: [
      {
        data: { values: lines },
        mark: { type: 'line', strokeWidth: 1.6 },
        encoding: {
          x,
          y,
          color: {
            field: 'level',
            type: 'nominal',
            scale: levels,
            legend: several ? { title: 'roof of', orient: 'bottom', columns: width < 500 ? 2 : 4 } : levelKey,
          },
        },
      },
      {
        name: 'ink',
        data: { values: ceilings.map((one) => ({ ...one, x: left, x2: right })) },
        mark: { type: 'rule', strokeWidth: 1.2, color: '#333b47' },
        encoding: { x, x2: { field: 'x2' }, y },
      },
      roofWords(
        ceilings.filter((one) => !crowded(one)),
        -6,
      ),
      roofWords(ceilings.filter(crowded), 8),
      {
        data: { values: points },
        mark: { type: 'point', filled: true, opacity: 1, strokeWidth: 1 },
        encoding: {
          x: {
            ...x,
            scale: { type: 'log', domain: [left, right] },
            title: 'FLOP per byte moved at the level',
            axis: { values: powersOfTen(left, right), format: '~g' },
          },
          y: {
            ...y,
            scale: { type: 'log', domain: [bottom, top * 2.2] },
            title: 'FLOP/s',
            axis: { values: powersOfTen(bottom, 1e16), format: '~s' },
          },
          color: pointColour,
          shape: {
            field: 'level',
            type: 'nominal',
            scale: shapes,
            legend: several ? { ...levelKey, symbolFillColor: '#8a94a3', symbolStrokeColor: '#8a94a3' } : levelKey,
          },
          size: { condition: { test: 'datum.lowest', value: 190 }, value: 80 },
          tooltip: [
            { field: 'kernel' },
            { field: 'level' },
            { field: 'x', title: 'FLOP/byte', format: '.5~g' },
            { field: 'y', title: 'FLOP/s', format: '.5~g' },
            { field: 'bytes', title: 'byte' },
            { field: 'allows', title: 'the level allows, FLOP/s', format: '.5~g' },
          ],
        },
      },
    ],
  });
  return figure({
    title,
    level,
    spec,
    wide: sections.length > 1,
    note: 'A kernel stands at its speed once for every level of memory; the large mark is the level with the lowest roof. Lines are nominal.',
    label: `${title}: ${known
      .map(
        (one) =>
          `${labelOf(one)} reaches ${scaled(one.roofline.flop_per_second, 'FLOP/s')}, lowest roof ${levelLabel(roofs, one.roofline.roof)}`,
      )
      .slice(0, 6)
      .join('; ')}`,
    table: () => ({
      columns: [
        { name: 'kernel', text: true },
        { name: 'level', text: true },
        { name: 'bytes', unit: 'byte' },
        { name: 'intensity', unit: 'FLOP/byte' },
        { name: 'reached', unit: 'FLOP/s' },
        { name: 'the level allows', unit: 'FLOP/s' },
      ],
      rows: points.map((one) => [one.kernel, one.level, one.bytes, one.x, one.y, one.allows]),
    }),
  }).node;
}
