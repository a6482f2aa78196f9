'use strict';
// The page: contents, sections, provenance, theme.

function openPart(id) {
  const part = document.getElementById(id);
  if (part?.tagName === 'DETAILS') part.open = true;
}

const sectionMakers = { kernel: kernelSection, sweep: sweepSection, comparison: comparisonSection };
const sectionNames = {
  kernel: (one) => labelOf(one),
  sweep: (one) => `Study ${one.store}`,
  comparison: (one) => `Predicted and measured, ${one.gpu}`,
};

const quoted = (word) => (/^[\w./:=,+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

function provenance(kernels) {
  const rows = [
    ['program', `tilescope ${report.version}`],
    ['command', element('code', {}, `tilescope report ${report.arguments.map(quoted).join(' ')}`)],
    ['document', report.schema],
  ];
  for (const [hash, one] of Object.entries(report.gpus)) rows.push(['GPU', `${one.gpu}, configuration ${hash}`]);
  for (const one of report.sections.filter((section) => section.kind === 'comparison'))
    rows.push(['comparison', `${one.file}: ${one.gpu}, configuration ${one.config_hash}, ${one.mode}, sample ${one.sample}`]);
  for (const one of report.sections.filter((section) => section.kind === 'sweep'))
    rows.push(['study', `${one.store}: ${counted(one.points, 'point')}`]);
  const parts = [
    element('h2', { id: 'provenance-title' }, 'Provenance'),
    plainTable(
      'Where the numbers come from',
      [
        { name: 'what', text: true },
        { name: 'value', text: true },
      ],
      rows,
    ),
  ];
  if (kernels.length > 0)
    parts.push(
      dataTable('how each kernel was timed', () => ({
        columns: [
          { name: 'kernel', text: true },
          { name: 'sample', text: true },
          { name: 'timed one by one', unit: 'of 1' },
          { name: 'error of the cycles', unit: '%' },
          { name: 'error of the traffic', unit: '%' },
          { name: 'cycles from' },
          { name: 'to' },
          { name: 'wall', unit: 's' },
        ],
        rows: kernels.map(({ section }) => {
          const from = section.result.provenance;
          return [
            labelOf(section),
            from.sample,
            from.sampled_fraction,
            from.cycles_error_pct,
            from.traffic_error_pct,
            from.cycles_low,
            from.cycles_high,
            from.wall_seconds,
          ];
        }),
      })),
    );
  parts.push(
    element(
      'button',
      { type: 'button', click: () => save(new Blob([JSON.stringify(report, null, 1)], { type: 'application/json' }), 'report.json') },
      'Save the document as JSON',
    ),
  );
  return parts;
}

function fillPage() {
  const kernels = report.sections.flatMap((section, index) => (section.kind === 'kernel' ? [{ section, index }] : []));
  const gpus = Object.values(report.gpus).map((one) => one.gpu);
  const title =
    report.sections.length === 1
      ? sectionNames[report.sections[0].kind](report.sections[0])
      : kernels.length === report.sections.length
        ? `${kernels.length} kernels`
        : `${report.sections.length} parts`;
  document.title = `${title} - Tilescope report`;
  document.getElementById('title').replaceChildren(...breakable(title));
  document.getElementById('subtitle').textContent = [...new Set(gpus)].join(', ');

  const main = document.getElementById('main');
  const list = element('ul');
  const link = (id, text) => list.append(element('li', {}, element('a', { href: `#${id}`, click: () => openPart(id) }, breakable(text))));
  if (report.left_out.length > 0)
    main.append(
      element(
        'section',
        { class: 'notice', 'aria-label': 'Left out' },
        element('h2', {}, `${report.left_out.length} left out`),
        element(
          'ul',
          {},
          report.left_out.map((one) => element('li', {}, `${one.what}: ${one.reason}`)),
        ),
      ),
    );
  if (kernels.length > 0) {
    main.append(overview(kernels));
    link('overview', 'Kernels side by side');
  }
  report.sections.forEach((section, index) => {
    const made = sectionMakers[section.kind](section, index);
    main.append(made);
    if (kernels.length <= 12 || section.kind !== 'kernel') link(made.id, sectionNames[section.kind](section));
  });
  link('provenance', 'Provenance');
  document.getElementById('contents').append(list);
  document.getElementById('provenance').append(...provenance(kernels));
  const first = main.querySelector('details.part');
  if (first) first.open = true;
  if (main.querySelectorAll('details.part').length === 0) document.querySelectorAll('#open-all, #close-all').forEach((one) => one.remove());
  openPart(location.hash.slice(1));
}

function setUpTools() {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const theme = document.getElementById('theme');
  const isDark = () => (document.documentElement.dataset.theme ?? (dark.matches ? 'dark' : 'light')) === 'dark';
  const show = () => theme.setAttribute('aria-pressed', String(isDark()));
  theme.addEventListener('click', () => {
    document.documentElement.dataset.theme = isDark() ? 'light' : 'dark';
    show();
  });
  dark.addEventListener('change', show);
  show();
  const all = (open) => {
    document.querySelectorAll('details.part').forEach((one) => {
      one.open = open;
    });
    say(open ? 'All kernels are open' : 'All kernels are closed');
  };
  document.getElementById('open-all').addEventListener('click', () => all(true));
  document.getElementById('close-all').addEventListener('click', () => all(false));
  document.getElementById('print').addEventListener('click', () => {
    drawOpenCharts();
    setTimeout(() => window.print(), 50);
  });
  window.addEventListener('hashchange', () => openPart(location.hash.slice(1)));
}

setUpTools();
fillPage();
