'use strict';
// What SMs and memory did over a launch's time.

// Neighbouring bins of an SM that hold the same are one rectangle.
function smCells(sms) {
  const cells = [];
  sms.cta_cycles.forEach((row, sm) => {
    for (let from = 0; from < row.length;) {
      let to = from + 1;
      while (to < row.length && row[to] === row[from]) to += 1;
      if (row[from] > 0)
        cells.push({ sm, next: sm + 1, from: from * sms.bin_cycles, to: to * sms.bin_cycles, ctas: row[from] / sms.bin_cycles });
      from = to;
    }
  });
  return cells;
}

function smFigure(section) {
  const { sms } = section;
  const most = Math.max(1, Math.ceil(sms.most_cta_cycles / sms.bin_cycles));
  const part =
    sms.ctas < sms.of
      ? ` Shown are the ${short(sms.ctas)} of ${short(sms.of)} CTAs that were timed instruction by instruction; --sample off times all.`
      : '';
  return figure({
    title: 'CTAs on each SM over time',
    wide: true,
    note: `Mean CTAs that an SM held in each ${short(sms.bin_cycles)} cycles.${part}`,
    label: `CTAs on each of ${sms.sms} SMs over time, at most ${most}`,
    spec: (width) => ({
      height: width < 500 ? 300 : 360,
      data: { values: smCells(sms) },
      mark: { type: 'rect', stroke: null },
      encoding: {
        x: {
          field: 'from',
          type: 'quantitative',
          title: 'cycle',
          scale: { domain: [0, sms.bins * sms.bin_cycles], nice: false },
          axis: { tickCount: 6, grid: false },
        },
        x2: { field: 'to' },
        y: {
          field: 'sm',
          type: 'quantitative',
          title: 'SM',
          scale: { domain: [0, sms.sms], reverse: true, nice: false },
          axis: { tickCount: 6, grid: false },
        },
        y2: { field: 'next' },
        color: {
          field: 'ctas',
          type: 'quantitative',
          title: 'CTAs',
          scale: { domain: [0, most], range: heat },
          legend: { orient: 'bottom', gradientLength: 160, tickMinStep: 1, format: '~g' },
        },
        tooltip: [
          { field: 'sm', title: 'SM' },
          { field: 'from', title: 'from cycle' },
          { field: 'to', title: 'until' },
          { field: 'ctas', title: 'CTAs', format: '.4~g' },
        ],
      },
    }),
    table: () => ({
      columns: [
        { name: 'SM', text: true },
        ...Array.from({ length: sms.bins }, (unused, i) => ({ name: `CTA cycles from ${i * sms.bin_cycles}` })),
      ],
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
    return {
      from,
      until,
      asked: memory.l2_read_sectors[i],
      hits: memory.l2_read_hit_sectors[i],
      read: memory.hbm_read_bytes[i],
      written: memory.hbm_write_bytes[i],
      rate: memory.l2_read_sectors[i] > 0 ? (100 * memory.l2_read_hit_sectors[i]) / memory.l2_read_sectors[i] : null,
      readGbs: gbs(memory.hbm_read_bytes[i]),
      writtenGbs: gbs(memory.hbm_write_bytes[i]),
    };
  });
  const part =
    section.result.provenance.sampled_fraction < 1 ? ' Of this sampled run, the beginning that was timed instruction by instruction.' : '';
  const x = {
    field: 'from',
    type: 'quantitative',
    title: 'cycle',
    scale: { domain: [0, memory.until.at(-1)], nice: false },
    axis: { tickCount: 6 },
  };
  const table = () => ({
    columns: [
      { name: 'from', unit: 'cycle' },
      { name: 'until', unit: 'cycle' },
      { name: 'L2 reads', unit: 'sector' },
      { name: 'of these hits', unit: 'sector' },
      { name: 'HBM read', unit: 'byte' },
      { name: 'HBM written', unit: 'byte' },
    ],
    rows: rows.map((one) => [one.from, one.until, one.asked, one.hits, one.read, one.written]),
  });
  const rates = figure({
    title: 'L2 hit rate over time',
    note: `Of the sectors that SMs read from L2, those found there.${part}`,
    table,
    spec: () => ({
      height: 200,
      data: { values: rows.filter((one) => one.rate !== null) },
      mark: { type: 'line', interpolate: 'step-after', color: palette[0] },
      encoding: {
        x,
        y: { field: 'rate', type: 'quantitative', title: '%', scale: { domain: [0, 100] }, axis: { tickCount: 5 } },
        tooltip: [{ field: 'from' }, { field: 'until' }, { field: 'rate', title: 'hit rate, %', format: '.4~g' }],
      },
    }),
  });
  const bandwidth = figure({
    title: 'HBM bandwidth over time',
    note: `The peak is ${scaled(roofsOf(section).memory.find((one) => one.name === 'hbm').nominal, 'B/s')}.${part}`,
    table,
    spec: () => ({
      height: 200,
      data: {
        values: rows.flatMap((one) => [
          { ...one, what: 'read', gbs: one.readGbs },
          { ...one, what: 'written', gbs: one.writtenGbs },
        ]),
      },
      mark: { type: 'line', interpolate: 'step-after' },
      encoding: {
        x,
        y: { field: 'gbs', type: 'quantitative', title: 'GB/s', axis: { tickCount: 5 } },
        color: {
          field: 'what',
          type: 'nominal',
          scale: { domain: ['read', 'written'], range: palette.slice(0, 2) },
          legend: { title: null, orient: 'bottom' },
        },
        tooltip: [{ field: 'from' }, { field: 'until' }, { field: 'what' }, { field: 'gbs', title: 'GB/s', format: '.4~g' }],
      },
    }),
  });
  return [rates.node, bandwidth.node];
}
