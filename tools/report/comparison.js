'use strict';
// Predicted beside measured: totals by metric, one metric's cases, and how its errors are spread.

const mostFamilies = 8; // with a colour of their own

function comparisonSection(section, index) {
  const metrics = Object.keys(section.totals);
  const state = { metric: metrics.includes('gpu__time_duration.sum') ? 'gpu__time_duration.sum' : metrics[0] };
  const { cases } = section;
  const total = () => section.totals[state.metric];
  const unit = () => total().unit;
  const errorUnit = () => total().error_unit;
  const counts = new Map();
  for (const family of cases.family) counts.set(family, (counts.get(family) ?? 0) + 1);
  const families = [...counts]
    .sort((a, b) => b[1] - a[1])
    .slice(0, mostFamilies)
    .map(([name]) => name);
  const familyOf = (i) => (families.includes(cases.family[i]) ? cases.family[i] : 'others');
  const shown = [...families, ...(counts.size > families.length ? ['others'] : [])];
  const points = () => {
    const { predicted, measured, error } = cases.metrics[state.metric];
    return predicted.flatMap((one, i) =>
      one === null || measured[i] === null
        ? []
        : [{ name: cases.case[i], family: familyOf(i), predicted: one, measured: measured[i], error: error[i] }],
    );
  };
  const table = () => {
    const { predicted, measured, error } = cases.metrics[state.metric];
    return {
      columns: [
        { name: 'case', text: true },
        { name: 'family', text: true },
        { name: 'predicted', unit: unit() },
        { name: 'measured', unit: unit() },
        { name: 'error', unit: errorUnit() },
      ],
      rows: cases.case.map((name, i) => [name, cases.family[i], predicted[i], measured[i], error[i]]),
    };
  };

  const scatter = figure({
    title: 'Predicted beside measured',
    note: 'The line is where they are equal; the dashed ones are 10 % off.',
    label: `Predicted beside measured, one point for each of ${cases.case.length} cases`,
    spec: (width) => {
      const all = points();
      const values = all.flatMap((one) => [one.predicted, one.measured]).filter((one) => one > 0);
      const log = unit() !== '%' && values.length > 0 && Math.max(...values) / Math.min(...values) > 20;
      const kept = log ? all.filter((one) => one.predicted > 0 && one.measured > 0) : all;
      const low = log ? Math.min(...values) / 1.3 : 0;
      const high = values.length > 0 ? Math.max(...values) * (log ? 1.3 : 1.05) : 1;
      const line = (factor) => [
        { x: low, y: low * factor },
        { x: high, y: high * factor },
      ];
      const scale = { type: log ? 'log' : 'linear', domain: [low, high], nice: false, clamp: true };
      const x = { field: 'x', type: 'quantitative' };
      const y = { field: 'y', type: 'quantitative' };
      return {
        height: Math.min(380, width * 0.85),
        layer: [
          {
            name: 'ink',
            data: { values: line(1) },
            mark: { type: 'line', color: '#333b47', strokeWidth: 1.2, clip: true },
            encoding: { x, y },
          },
          ...[0.9, 1.1].map((factor, i) => ({
            name: `ink_${i}`,
            data: { values: line(factor) },
            mark: { type: 'line', color: '#333b47', strokeDash: [4, 4], strokeWidth: 0.8, clip: true },
            encoding: { x, y },
          })),
          {
            data: { values: kept },
            mark: { type: 'point', filled: true, opacity: 0.85, size: 44 },
            encoding: {
              x: { field: 'measured', type: 'quantitative', scale, title: `measured [${unit()}]`, axis: siAxis(scale, 5) },
              y: { field: 'predicted', type: 'quantitative', scale, title: `predicted [${unit()}]`, axis: siAxis(scale, 5) },
              color: {
                field: 'family',
                type: 'nominal',
                title: null,
                scale: { domain: shown, range: palette.slice(0, shown.length) },
                legend: shown.length > 1 ? { orient: 'bottom', columns: width < 500 ? 2 : 3, labelLimit: 150 } : null,
              },
              tooltip: [
                { field: 'name', title: 'case' },
                { field: 'predicted' },
                { field: 'measured' },
                { field: 'error', title: `error [${errorUnit()}]`, format: '.4~g' },
              ],
            },
          },
        ],
      };
    },
    table,
  });
  const histogram = figure({
    title: 'Distribution of errors',
    note: 'Positive: predicted too high.',
    label: 'Histogram of the errors',
    spec: () => {
      const errors = points()
        .map((one) => one.error)
        .filter((one) => one !== null);
      const most = Math.max(5, ...errors.map(Math.abs));
      const edge = Math.min(most, 100);
      const step = niceStep(edge / 12);
      const bins = new Map();
      for (const one of errors) {
        const at = Math.floor(Math.max(-edge, Math.min(edge - 1e-9, one)) / step);
        bins.set(at, (bins.get(at) ?? 0) + 1);
      }
      const values = [...bins].map(([at, number_]) => ({
        from: at * step,
        to: (at + 1) * step,
        cases: number_,
        far: Math.abs(at * step + step / 2) > 10,
      }));
      return {
        height: 260,
        layer: [
          {
            data: { values },
            mark: { type: 'bar', binSpacing: 1 },
            encoding: {
              x: {
                field: 'from',
                type: 'quantitative',
                bin: { binned: true, step },
                scale: { domain: [-Math.ceil(edge / step) * step, Math.ceil(edge / step) * step] },
                title: `error [${errorUnit()}]${most > edge ? ', the last bars hold all beyond' : ''}`,
              },
              x2: { field: 'to' },
              y: { field: 'cases', type: 'quantitative', title: 'cases', axis: { tickMinStep: 1, tickCount: 5 } },
              color: {
                field: 'far',
                type: 'nominal',
                scale: { domain: [false, true], range: [palette[0], palette[1]] },
                legend: { title: null, orient: 'bottom', labelExpr: `datum.value ? 'more than 10 off' : 'within 10'` },
              },
              tooltip: [{ field: 'from' }, { field: 'to' }, { field: 'cases' }],
            },
          },
          {
            name: 'ink',
            data: { values: [{ x: 0 }] },
            mark: { type: 'rule', color: '#333b47' },
            encoding: { x: { field: 'x', type: 'quantitative' } },
          },
        ],
      };
    },
    table: () => ({
      columns: [
        { name: 'case', text: true },
        { name: 'error', unit: errorUnit() },
      ],
      rows: cases.case.map((name, i) => [name, cases.metrics[state.metric].error[i]]).sort((a, b) => Math.abs(b[1]) - Math.abs(a[1])),
    }),
  });

  const words = element('p', { class: 'headline' });
  const describe = () => {
    const one = total();
    if (one.mean === null) {
      words.replaceChildren(`${state.metric}: ${short(one.cases)} cases, none with an error that is defined.`);
      return;
    }
    const shareOf = (value, name) => [exact(percent(value), value, '%'), ` within ${name}`];
    words.replaceChildren(
      element('strong', {}, state.metric),
      `: ${short(one.cases)} cases are off by `,
      exact(`${short(one.mean)} ${one.error_unit}`, one.mean, one.error_unit),
      ' in the mean, ',
      exact(`${short(one.median)} ${one.error_unit}`, one.median, one.error_unit),
      ' in the median, ',
      exact(`${short(one.p90)} ${one.error_unit}`, one.p90, one.error_unit),
      ' at the 90th percentile; ',
      ...shareOf(one.within_10_pct, '10'),
      '. Bias ',
      exact(`${short(one.bias)} ${one.error_unit}`, one.bias, one.error_unit),
      one.worst_case ? `; the worst case is ${one.worst_case}.` : '.',
    );
  };
  describe();
  const controls = element(
    'div',
    { class: 'controls' },
    chooser(
      'Metric',
      metrics.map((name) => ({ value: name, text: name })),
      state.metric,
      (name) => {
        state.metric = name;
        describe();
        for (const one of [scatter, histogram]) {
          one.chart.change();
          const details = one.node.querySelector('details.data');
          details.open = false;
          delete details.dataset.made;
          details.querySelector('.scroll')?.remove();
        }
        say(`Shown is ${name}`);
      },
    ),
  );
  const cell = (value) => (value === null || value === undefined ? '' : exact(short(value), value));
  const head = [
    { name: 'metric', text: true },
    { name: 'cases' },
    { name: 'equal' },
    { name: 'mean' },
    { name: 'median' },
    { name: '90th percentile' },
    { name: 'bias' },
    { name: 'within 10', unit: '% of cases' },
    { name: 'error in', text: true },
  ];
  const rows = metrics.map((name) => {
    const one = section.totals[name];
    return [
      name,
      cell(one.cases),
      cell(one.equal),
      cell(one.mean),
      cell(one.median),
      cell(one.p90),
      cell(one.bias),
      cell(one.within_10_pct),
      one.error_unit,
    ];
  });
  return element(
    'section',
    { class: 'part', id: `comparison-${index}`, 'aria-labelledby': `comparison-${index}-title` },
    element('h2', { id: `comparison-${index}-title` }, `Predicted and measured, ${section.gpu}`),
    element(
      'div',
      { class: 'body' },
      words,
      element(
        'p',
        { class: 'pale' },
        `${section.file}: measured in ${section.measured.join(', ')}; ${short(section.unmatched)} rows without a prediction.`,
      ),
      controls,
      element('div', { class: 'charts' }, scatter.node, histogram.node),
      element('h3', {}, 'Every metric'),
      plainTable('Errors by metric', head, rows, { sortable: true }),
    ),
  );
}

// 1, 2 or 5 times a power of ten, at least `least`.
function niceStep(least) {
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map((one) => one * power).find((one) => one >= least);
}
