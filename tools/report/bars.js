'use strict';
// Traffic, stalls and busy resources as bars.

function trafficFigure(section) {
  const { levels, least_read: leastRead, least_written: leastWritten, every_cta: every } = section.traffic.kernels[0];
  const values = levels.flatMap((one) => [
    { level: one.label, what: 'read', bytes: one.read },
    { level: one.label, what: 'written', bytes: one.written },
  ]);
  const least = [leastRead, leastWritten].filter((one) => one !== null);
  const hbm = levels.find((one) => one.level === 'hbm');
  const note =
    leastRead > 0
      ? `HBM reads ${short(hbm.read / leastRead)} times the least that any kernel could read.`
      : 'Bytes asked for by lanes, and moved at each level.';
  return figure({
    title: 'Traffic by level',
    note: every ? note : `${note} What lanes ask is scaled up from a part of the CTAs.`,
    label: `Traffic by level: ${levels.map((one) => `${one.label} ${scaled(one.read + one.written, 'B')}`).join(', ')}`,
    spec: () => ({
      height: 30 * levels.length,
      data: { values },
      mark: { type: 'bar' },
      encoding: {
        y: { field: 'level', type: 'nominal', sort: null, title: null },
        x: { field: 'bytes', type: 'quantitative', title: 'byte', axis: { labelExpr: siLabel, tickCount: 5 } },
        color: {
          field: 'what',
          type: 'nominal',
          scale: { domain: ['read', 'written'], range: palette.slice(0, 2) },
          legend: { title: null, orient: 'bottom' },
        },
        tooltip: [{ field: 'level' }, { field: 'what' }, { field: 'bytes', title: 'byte' }],
      },
    }),
    table: () => ({
      columns: [
        { name: 'level', text: true },
        { name: 'read', unit: 'byte' },
        { name: 'written', unit: 'byte' },
      ],
      rows: [
        ...levels.map((one) => [one.label, one.read, one.written]),
        ...(least.length ? [['least that HBM must move', leastRead ?? '', leastWritten ?? '']] : []),
      ],
    }),
  }).node;
}

// Bars of one value each, the longest first. values: [{name, value}].
function barsFigure(title, note, values, unit, colour) {
  const shown = values.filter((one) => one.value > 0).sort((a, b) => b.value - a.value);
  return figure({
    title,
    note,
    label: `${title}: ${shown
      .slice(0, 5)
      .map((one) => `${one.name} ${short(one.value)} ${unit}`)
      .join(', ')}`,
    spec: () => ({
      height: Math.max(60, 22 * shown.length),
      data: { values: shown },
      encoding: { y: { field: 'name', type: 'nominal', sort: null, title: null } },
      layer: [
        {
          mark: { type: 'bar' },
          encoding: {
            x: { field: 'value', type: 'quantitative', title: unit, axis: { tickCount: 5 } },
            ...(colour
              ? {
                  color: {
                    field: 'name',
                    type: 'nominal',
                    legend: null,
                    scale: { domain: shown.map((one) => one.name), range: shown.map((one) => colour(one.name)) },
                  },
                }
              : {}),
            tooltip: [{ field: 'name' }, { field: 'value', title: unit }],
          },
        },
        {
          transform: [{ calculate: "format(datum.value, '.3~g')", as: 'words' }],
          mark: { type: 'text', align: 'left', dx: 4, fontSize: 10 },
          encoding: { x: { field: 'value', type: 'quantitative' }, text: { field: 'words' } },
        },
      ],
    }),
    table: () => ({
      columns: [
        { name: title.toLowerCase(), text: true },
        { name: 'value', unit },
      ],
      rows: values.map((one) => [one.name, one.value]),
    }),
  }).node;
}

function utilisationFigure(section) {
  const values = Object.entries(section.result.derived.utilisation_pct).map(([name, value]) => ({
    name: name.replaceAll('_', ' '),
    value,
  }));
  return barsFigure('How busy each resource was', 'From 65 % on, queues in front of a resource decide the time.', values, '%');
}

const stallMetric = /^smsp__average_warps_issue_stalled_(.*)_per_issue_active\.ratio$/;

function stallFigure(section) {
  const values = Object.entries(section.result.metrics).flatMap(([name, value]) => {
    const found = stallMetric.exec(name);
    return found ? [{ name: found[1], value }] : [];
  });
  return barsFigure(
    'What warps waited for',
    'Warps that wait, for each instruction issued; by reason, as Nsight Compute names them.',
    values,
    'warps per issue',
    stallColour,
  );
}
