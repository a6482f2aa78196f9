'use strict';
// What kernels' sections have in common: names, colours of stalls, figures in words.

const stallColours = new Map();
const stallColour = (reason) => {
  if (!stallColours.has(reason)) stallColours.set(reason, palette[stallColours.size % palette.length]);
  return stallColours.get(reason);
};
// The same colour for a reason in every chart.
[
  'long_scoreboard',
  'short_scoreboard',
  'barrier',
  'wait',
  'not_selected',
  'selected',
  'mio_throttle',
  'lg_throttle',
  'math_pipe_throttle',
  'dispatch_stall',
  'branch_resolving',
  'no_instruction',
  'membar',
  'drain',
  'gmma',
].forEach(stallColour);

const severalGpus = new Set(report.sections.filter((one) => one.kind === 'kernel').map((one) => one.gpu)).size > 1;
const labelOf = (section) => (severalGpus ? `${section.kernel}, ${section.gpu}` : section.kernel);
const metricOf = (section, name) => section.result.metrics[name];
const roofsOf = (section) => report.gpus[section.result.provenance.config_hash];
const levelLabel = (roofs, name) =>
  roofs.memory.find((one) => one.name === name)?.label ?? roofs.arithmetic.find((one) => one.name === name)?.label ?? name;

// "107,494 cycles (54.29 us), 4.943 TFLOP/s, ...": what is asked first, in words.
function headline(section) {
  const { derived } = section.result;
  const cycles = metricOf(section, 'gpc__cycles_elapsed.max');
  const ns = metricOf(section, 'gpu__time_duration.sum');
  const words = [
    `On ${section.gpu} it takes `,
    exact(`${short(cycles)} cycles`, cycles, 'cycle'),
    ' (',
    exact(duration(ns), ns, 'ns'),
    ')',
  ];
  if (derived.tflops !== undefined && derived.tflops > 0)
    words.push(', ', exact(`${short(derived.tflops)} TFLOP/s`, derived.tflops, 'TFLOP/s'));
  if (derived.pct_of_peak > 0) words.push(', ', exact(percent(derived.pct_of_peak), derived.pct_of_peak, '%'), ' of the peak');
  words.push('. Bottleneck: ', element('strong', {}, derived.bottleneck_reason), '.');
  const { roofline } = section;
  if (roofline.roof !== undefined) {
    const share = (100 * roofline.flop_per_second) / roofline.roof_flop_per_second;
    words.push(
      ` Its lowest roof, ${levelLabel(roofsOf(section), roofline.roof)}, allows `,
      exact(scaled(roofline.roof_flop_per_second, 'FLOP/s'), roofline.roof_flop_per_second, 'FLOP/s'),
      `; it reaches ${percent(share)} of that.`,
    );
  }
  return element('p', { class: 'headline' }, words);
}

function keyFigures(section) {
  const { derived, provenance } = section.result;
  const items = [];
  const add = (name, value, unit, text) => {
    if (value !== undefined && value !== null)
      items.push(
        element(
          'div',
          {},
          element('dt', {}, name),
          element('dd', {}, exact(text ?? `${short(value)}${unit ? ` ${unit}` : ''}`, value, unit)),
        ),
      );
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
    items.push(
      element(
        'div',
        {},
        element('dt', {}, '90 % interval of the cycles'),
        element('dd', {}, number(provenance.cycles_low), ' to ', number(provenance.cycles_high)),
      ),
    );
  return element('dl', { class: 'figures' }, items);
}

function launchWords(section) {
  const { launch } = section.result;
  const parameters = Object.entries(launch.parameters)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');
  return element(
    'p',
    { class: 'pale launch' },
    `${section.result.kernel}: grid ${launch.grid.join(' x ')}, block ${launch.block.join(' x ')}, ${launch.registers_per_thread} registers per thread, ` +
      `${launch.static_smem_bytes + launch.dynamic_smem_bytes} byte of shared memory. ${parameters}`,
  );
}
