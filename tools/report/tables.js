'use strict';
// Tables: of figures, and of a chart's data for whoever can not see it.

// columns: [{name, unit, text: true for words}]; rows: lists of cells, each a value or a node. Numbers stand in full.
function plainTable(caption, columns, rows, options) {
  const head = columns.map((column, at) => {
    const words = [column.name, column.unit ? element('span', { class: 'unit' }, ` [${column.unit}]`) : null];
    if (!options?.sortable) return element('th', { scope: 'col', class: column.text ? 'words' : 'figure' }, words);
    const button = element('button', { type: 'button', class: 'sort', click: () => sortBy(body, head, at) }, words);
    return element('th', { scope: 'col', class: column.text ? 'words' : 'figure' }, button);
  });
  const body = element('tbody');
  for (const row of rows)
    body.append(
      element(
        'tr',
        {},
        row.map((cell, at) => {
          const value = cell instanceof Node ? cell : typeof cell === 'number' ? exact(full(cell), cell) : full(cell);
          return at === 0 && columns[0].text
            ? element('th', { scope: 'row', class: 'words' }, typeof value === 'string' ? breakable(value) : value)
            : element('td', { class: columns[at].text ? 'words' : 'figure' }, value);
        }),
      ),
    );
  const title = element('caption', { class: options?.captioned ? '' : 'hidden' }, caption);
  const table = element('table', {}, title, element('thead', {}, element('tr', {}, head)), body);
  return element('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': caption }, table);
}

function keyOf(row, at) {
  const cell = row.children[at];
  const value = cell.querySelector('[data-value]')?.dataset.value ?? cell.textContent;
  const asNumber = Number(value);
  return value === '' ? Infinity : Number.isNaN(asNumber) ? value : asNumber;
}

function sortBy(body, head, at) {
  const down = head[at].getAttribute('aria-sort') === 'ascending';
  head.forEach((cell) => cell.removeAttribute('aria-sort'));
  head[at].setAttribute('aria-sort', down ? 'descending' : 'ascending');
  const sign = down ? -1 : 1;
  const rows = [...body.children].map((row) => ({ row, key: keyOf(row, at) }));
  rows.sort((a, b) => (a.key < b.key ? -sign : a.key > b.key ? sign : 0));
  body.append(...rows.map(({ row }) => row));
}

const mostRows = 1000; // of a table that stands beside a chart

// A closed <details> whose table is made when it is opened. make(): {columns, rows}.
function dataTable(title, make) {
  const holder = element('details', { class: 'data' }, element('summary', {}, `Data table: ${title}`));
  holder.addEventListener('toggle', () => {
    if (!holder.open || holder.dataset.made) return;
    holder.dataset.made = 'yes';
    const { columns, rows } = make();
    holder.append(plainTable(title, columns, rows.slice(0, mostRows)));
    if (rows.length > mostRows)
      holder.append(element('p', { class: 'pale' }, `The first ${short(mostRows)} of ${short(rows.length)} rows.`));
  });
  return holder;
}

// A <select> with its label. choices: [{value, text}].
function chooser(label, choices, chosen, change) {
  const id = freshId('choose');
  const select = element('select', { id, change: () => change(select.value) });
  for (const { value, text } of choices) select.append(element('option', { value, selected: value === chosen }, text));
  return element('span', { class: 'chooser' }, element('label', { for: id }, label), select);
}
