'use strict';
// A study's section: the best point, a heat map over two parameters, fronts, and the best points as a table.

const valueAt = (column, row) => (column.levels ? column.levels[column.index[row]] : column.values[row]);
const isNumber = (column) => (column.levels ?? column.values).every((one) => typeof one === 'number' || one === null);
const mostPoints = 1500; // drawn one by one; of more their density
const withUnit = (column) => (column.unit ? `${column.name} [${column.unit}]` : column.name);

// As an axis names it: a parameter that a point's kernel does not have is "none".
const levelAt = (column, row) => valueAt(column, row) ?? 'none';

// Whether the values of one do not decide those of the other, as where M, N and K advance together.
function crossed(x, y) {
  const pairs = new Set(x.index.map((one, row) => one * y.levels.length + y.index[row]));
  return pairs.size > Math.max(x.levels.length, y.levels.length);
}

// Levels in order: numbers by size, words as they come.
function inOrder(levels) {
  const numbers = levels.filter((one) => typeof one === 'number').sort((a, b) => a - b);
  return [...numbers, ...levels.filter((one) => typeof one !== 'number').map((one) => one ?? 'none')];
}

// The best value of each pair of levels: {x, y, value, row, points}.
// Of one parameter, given as both, a row.
function bestCells(x, y, value, most, points) {
  const cells = new Map();
  for (let row = 0; row < points; row += 1) {
    const one = valueAt(value, row);
    if (one === null) continue;
    const key = `${x.index[row]} ${y.index[row]}`;
    const cell = cells.get(key) ?? { x: levelAt(x, row), y: y === x ? '' : levelAt(y, row), value: null, row, points: 0 };
    cell.points += 1;
    if (cell.value === null || (most ? one > cell.value : one < cell.value)) Object.assign(cell, { value: one, row });
    cells.set(key, cell);
  }
  return [...cells.values()];
}

// What the value depends on most: the parameter whose levels' bests are farthest apart.
function spread(axis, value, most, points) {
  const best = new Map();
  for (let row = 0; row < points; row += 1) {
    const one = valueAt(value, row);
    if (one === null) continue;
    const before = best.get(axis.index[row]);
    if (before === undefined || (most ? one > before : one < before)) best.set(axis.index[row], one);
  }
  const all = [...best.values()];
  return Math.max(...all) / Math.max(1e-300, Math.min(...all));
}

function pointWords(axes, row) {
  const known = axes.filter((one) => valueAt(one, row) !== null);
  return known.map((one) => `${one.name}=${full(valueAt(one, row))}`).join(', ');
}

function heatFigure(section, axes, values, bestRow) {
  const goal = section.best.goal;
  const value = values.find((one) => one.name === goal.column);
  const ranked = [...axes].sort((a, b) => spread(b, value, goal.most, section.shown) - spread(a, value, goal.most, section.shown));
  const state = { x: ranked[0], y: ranked.find((one) => crossed(ranked[0], one)) ?? ranked[0], value };
  const most = () => (state.value.name === goal.column ? goal.most : state.value.most);
  const cells = () => bestCells(state.x, state.y, state.value, most(), section.shown);
  const bestOf = (all) =>
    all.reduce((best, one) => (best === null || (most() ? one.value > best.value : one.value < best.value) ? one : best), null);
  const spec = (width) => {
    const all = cells();
    const best = bestOf(all);
    const xs = inOrder(state.x.levels);
    const ys = state.y === state.x ? [''] : inOrder(state.y.levels);
    const few = xs.length * 70 < width - 80 && ys.length <= 24;
    const sorted = all.map((one) => one.value).sort((a, b) => a - b);
    const log = sorted[0] > 0 && sorted.at(-1) / sorted[0] > 20;
    const middle = log ? Math.sqrt(sorted[0] * sorted.at(-1)) : (sorted[0] + sorted.at(-1)) / 2;
    return {
      height: Math.max(80, Math.min(460, 26 * ys.length)),
      data: { values: all },
      encoding: {
        x: {
          field: 'x',
          type: 'ordinal',
          sort: xs,
          title: state.x.name,
          axis: {
            labelAngle: xs.length > 12 || xs.some((one) => String(one).length > 7) ? -50 : 0,
            grid: false,
            labelOverlap: true,
            labelLimit: 120,
          },
        },
        y: {
          field: 'y',
          type: 'ordinal',
          sort: ys,
          title: state.y === state.x ? null : state.y.name,
          axis: { grid: false, labelOverlap: true, labelLimit: width < 500 ? 90 : 220 },
        },
      },
      layer: [
        {
          mark: { type: 'rect' },
          encoding: {
            color: {
              field: 'value',
              type: 'quantitative',
              title: `best ${withUnit(state.value)}`,
              scale: { type: log ? 'log' : 'linear', range: heat, zero: false, nice: false },
              legend: { orient: 'bottom', gradientLength: Math.min(240, width - 60), labelExpr: siLabel, tickCount: 4 },
            },
            stroke: { condition: { test: `datum.row === ${best?.row ?? -1}`, value: '#d0021b' }, value: null },
            strokeWidth: { value: 3 },
            tooltip: [
              { field: 'x', title: state.x.name },
              { field: 'y', title: state.y.name },
              { field: 'value', title: `best ${state.value.name}` },
              { field: 'points' },
            ],
          },
        },
        ...(few
          ? [
              {
                transform: [{ calculate: siWords('datum.value'), as: 'words' }],
                mark: { type: 'text', fontSize: 10, style: 'cell' },
                name: 'cells',
                encoding: {
                  text: { field: 'words' },
                  color: { condition: { test: `datum.value > ${middle}`, value: '#10151d' }, value: '#ffffff' },
                },
              },
            ]
          : []),
        {
          name: 'cells_best',
          transform: [{ filter: `datum.row === ${best?.row ?? -1}` }],
          mark: { type: 'text', text: '★', fontSize: 16, dx: few ? 26 : 0, color: '#d0021b' },
        },
      ],
    };
  };
  const made = figure({
    title: 'Best value by two parameters',
    wide: true,
    spec,
    note: `Each cell is the best of all points that have its two values; the star is the best of all${section.shown < section.succeeded ? ' that are shown' : ''}.`,
    label: `Best ${goal.column} by two parameters; the best point is ${pointWords(axes, bestRow)}`,
    controls: [
      chooser(
        'Across',
        axes.map((one) => ({ value: one.name, text: one.name })),
        state.x.name,
        (name) => choose('x', name),
      ),
      chooser(
        'Down',
        axes.map((one) => ({ value: one.name, text: one.name })),
        state.y.name,
        (name) => choose('y', name),
      ),
      chooser(
        'Colour',
        values.filter(isNumber).map((one) => ({ value: one.name, text: withUnit(one) })),
        state.value.name,
        (name) => choose('value', name),
      ),
    ],
  });
  // The table shows what is chosen when it is opened.
  let table = null;
  const renew = () => {
    const fresh = dataTable('best value by two parameters', () => ({
      columns: [
        { name: state.x.name, text: true },
        { name: state.y.name },
        { name: state.value.name, unit: state.value.unit },
        { name: 'points' },
      ],
      rows: cells().map((one) => [full(one.x), one.y, one.value, one.points]),
    }));
    if (table) table.replaceWith(fresh);
    else made.node.append(fresh);
    table = fresh;
  };
  const choose = (key, name) => {
    state[key] = (key === 'value' ? values : axes).find((one) => one.name === name);
    made.chart.change();
    renew();
    say(`The heat map shows ${state.value.name} by ${state.x.name} and ${state.y.name}`);
  };
  renew();
  return made.node;
}

function frontFigure(section, axes, values, front) {
  const [first, second] = front.goals;
  const column = (goal) => values.find((one) => one.name === goal.column);
  const fx = column(second);
  const fy = column(first);
  const onFront = new Set(front.rows);
  const place = (row) => ({ row, x: valueAt(fx, row), y: valueAt(fy, row) });
  const point = (row) => ({ ...place(row), what: pointWords(axes, row) });
  const frontPoints = front.rows.map(point).sort((a, b) => a.x - b.x);
  const others = [];
  for (let row = 0; row < section.shown; row += 1)
    if (!onFront.has(row) && valueAt(fx, row) !== null && valueAt(fy, row) !== null) others.push(row);
  const bestPoint = onFront.has(section.best.row) ? point(section.best.row) : null;
  const range = (one) => {
    const all = (one.levels ?? one.values).filter((value) => value !== null);
    return [Math.min(...all), Math.max(...all)];
  };
  const scale = (one) => {
    const [low, high] = range(one);
    return low > 0 && high / low > 20 ? { type: 'log', nice: true } : { type: 'linear', zero: false, nice: true };
  };
  const x = { field: 'x', type: 'quantitative', title: withUnit(fx), scale: scale(fx), axis: siAxis(scale(fx), 6) };
  const y = { field: 'y', type: 'quantitative', title: withUnit(fy), scale: scale(fy), axis: siAxis(scale(fy), 6) };
  const tooltip = [
    { field: 'what', title: 'point' },
    { field: 'x', title: fx.name },
    { field: 'y', title: fy.name },
  ];
  const dense = others.length > mostPoints;
  // When the figure is drawn: of fronts further down the page nobody may look at.
  const cloud = () => (dense ? density(others.map(place), scale(fx).type === 'log', scale(fy).type === 'log') : others.map(point));
  const good = (goal) => `${goal.column} ${goal.most ? 'high' : 'low'}`;
  return figure({
    title: `Front: ${first.column} against ${second.column}`,
    wide: true,
    note: `${short(front.rows.length)} of ${short(section.succeeded)} points are not beaten by another in both (${good(first)}, ${good(second)}). ${dense ? 'Squares are the other points, darker where there are more.' : 'Pale dots are the other points.'}${bestPoint ? ' The star is the best point.' : ''}`,
    label: `Pareto front of ${first.column} and ${second.column} with ${front.rows.length} points`,
    spec: (width) => ({
      height: width < 500 ? 280 : 360,
      layer: [
        dense
          ? {
              data: { values: cloud() },
              mark: { type: 'rect', color: '#8a94a3' },
              encoding: {
                x: { ...x },
                x2: { field: 'x2' },
                y: { ...y },
                y2: { field: 'y2' },
                opacity: { field: 'points', type: 'quantitative', scale: { type: 'log', range: [0.15, 0.8] }, legend: null },
                tooltip: [{ field: 'points' }],
              },
            }
          : { data: { values: cloud() }, mark: { type: 'circle', color: '#8a94a3', opacity: 0.5, size: 26 }, encoding: { x, y, tooltip } },
        {
          data: { values: frontPoints },
          mark: { type: 'line', color: palette[1], interpolate: 'linear', strokeWidth: 1.5 },
          encoding: { x, y },
        },
        { data: { values: frontPoints }, mark: { type: 'circle', color: palette[1], opacity: 1, size: 60 }, encoding: { x, y, tooltip } },
        ...(bestPoint
          ? [
              {
                name: 'cells_star',
                data: { values: [bestPoint] },
                mark: { type: 'text', text: '★', fontSize: 24, color: '#d0021b' },
                encoding: { x, y, tooltip },
              },
            ]
          : []),
      ],
    }),
    table: () => ({
      columns: [...axes.map((one) => ({ name: one.name, text: true })), { name: fy.name, unit: fy.unit }, { name: fx.name, unit: fx.unit }],
      rows: front.rows.map((row) => [...axes.map((one) => full(valueAt(one, row))), valueAt(fy, row), valueAt(fx, row)]),
    }),
  }).node;
}

// How many points are in each of some squares of the plane.
function density(points, logX, logY) {
  const across = 60;
  const down = 36;
  const place = (log, value) => (log ? Math.log(value) : value);
  const back = (log, value) => (log ? Math.exp(value) : value);
  const side = (field, log, steps) => {
    const all = points.map((one) => place(log, one[field]));
    const low = all.reduce((a, b) => Math.min(a, b));
    const high = all.reduce((a, b) => Math.max(a, b));
    const step = (high - low) / steps || 1;
    return { of: (value) => Math.min(steps - 1, Math.floor((place(log, value) - low) / step)), from: (i) => back(log, low + i * step) };
  };
  const xs = side('x', logX, across);
  const ys = side('y', logY, down);
  const counts = new Map();
  for (const one of points) {
    const key = xs.of(one.x) * down + ys.of(one.y);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...counts].map(([key, count]) => {
    const i = Math.floor(key / down);
    const j = key % down;
    return { x: xs.from(i), x2: xs.from(i + 1), y: ys.from(j), y2: ys.from(j + 1), points: count };
  });
}

const topPoints = 20;

function sweepSection(section, index) {
  const axes = section.columns.filter((one) => one.kind === 'parameter');
  const values = section.columns.filter((one) => one.kind === 'value');
  const { goal, row: bestRow } = section.best;
  const bestValue = valueAt(
    values.find((one) => one.name === goal.column),
    bestRow,
  );
  const unit = values.find((one) => one.name === goal.column).unit;
  const body = element('div', { class: 'body' });
  body.append(
    element(
      'p',
      { class: 'headline' },
      `Of ${counted(section.succeeded, 'point')} the best has `,
      element('strong', {}, pointWords(axes, bestRow) || 'no parameter that differs'),
      ': ',
      number(bestValue, `${unit} `.trim()),
      ` (${goal.column}, the ${goal.most ? 'more' : 'less'} the better).`,
    ),
  );
  if (section.shown < section.succeeded)
    body.append(
      element(
        'p',
        { class: 'notice' },
        `Shown are ${short(section.shown)} of ${short(section.succeeded)} points: the best, those on fronts, the best of any two values of two parameters, and an evenly spread part of the others.`,
      ),
    );
  if (section.columns_left_out.length > 0)
    body.append(
      element(
        'p',
        { class: 'pale' },
        `Left out to keep the page small: ${section.columns_left_out.join(', ')}. tilescope sweep export has all.`,
      ),
    );
  if (section.failures.length > 0)
    body.append(
      element(
        'div',
        { class: 'notice' },
        element('h3', {}, `${short(section.points - section.succeeded)} points failed`),
        element(
          'ul',
          {},
          section.failures.map((one) => element('li', {}, `${short(one.points)}: ${one.reason}`)),
        ),
      ),
    );
  const charts = element('div', { class: 'charts' });
  if (axes.length > 0) charts.append(heatFigure(section, axes, values, bestRow));
  for (const front of section.fronts) charts.append(frontFigure(section, axes, values, front));
  body.append(charts);
  const value = values.find((one) => one.name === goal.column);
  const ranked = Array.from({ length: section.shown }, (unused, row) => row)
    .filter((row) => valueAt(value, row) !== null)
    .sort((a, b) => (goal.most ? valueAt(value, b) - valueAt(value, a) : valueAt(value, a) - valueAt(value, b)));
  const columns = [
    ...axes.map((one) => ({ name: one.name, text: !isNumber(one) })),
    ...values.map((one) => ({ name: one.name, unit: one.unit, text: !isNumber(one) })),
  ];
  const cells = (row) =>
    [...axes, ...values].map((one) =>
      typeof valueAt(one, row) === 'number' ? exact(short(valueAt(one, row)), valueAt(one, row), one.unit) : full(valueAt(one, row)),
    );
  body.append(
    element('h3', {}, `The best of ${counted(ranked.length, 'point')}`),
    plainTable(`The best points of ${section.store}`, columns, ranked.slice(0, topPoints).map(cells), { sortable: true }),
    dataTable('all points in full', () => ({ columns, rows: ranked.map((row) => [...axes, ...values].map((one) => valueAt(one, row))) })),
  );
  return element(
    'section',
    { class: 'part', id: `sweep-${index}`, 'aria-labelledby': `sweep-${index}-title` },
    element('h2', { id: `sweep-${index}-title` }, `Study ${section.store}`),
    body,
  );
}
