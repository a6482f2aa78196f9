'use strict';
// Numbers and elements. A number is shown short; its full value, as the report's document has it, goes along as data-value and in
// the title. Text becomes text nodes, never markup.

const report = JSON.parse(document.getElementById('report').textContent);
const metricNames = Object.keys(report.metrics);
// In the page, a kernel's metrics are values in the order of their names; in the document names and values.
for (const { kind, result } of report.sections)
  if (kind === 'kernel')
    result.metrics = Object.fromEntries(result.metrics.flatMap((value, i) => (value === null ? [] : [[metricNames[i], value]])));

// element('p', {class: 'pale'}, 'text', node, ...): null children are left out.
function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes ?? {}))
    if (typeof value === 'function') made.addEventListener(key, value);
    else if (value !== null && value !== false && value !== undefined) made.setAttribute(key, value === true ? '' : value);
  made.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return made;
}

// The digits of the document: the shortest text that reads as the same number.
const full = (value) => (value === null || value === undefined ? '' : String(value));

// "107,494", "4.943", "0.00123", "1.2e-9": four digits, whole numbers whole.
function short(value) {
  if (typeof value !== 'number') return full(value);
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return value.toLocaleString('en-US');
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-4) return value.toExponential(3);
  if (size >= 1000) return value.toLocaleString('en-US', { maximumFractionDigits: 0 });
  return String(Number(value.toPrecision(4)));
}

// "268.4 MFLOP", "1.2 GB": powers of 1000.
function scaled(value, unit) {
  const prefixes = ['', 'k', 'M', 'G', 'T', 'P', 'E'];
  let power = 0;
  let left = value;
  while (Math.abs(left) >= 999.5 && power + 1 < prefixes.length) {
    left /= 1000;
    power += 1;
  }
  return `${Number(left.toPrecision(4))} ${prefixes[power]}${unit}`;
}

// "1 point", "10,000 points"
const counted = (count, word) => `${short(count)} ${word}${count === 1 ? '' : 's'}`;

// A time of so many nanoseconds.
function duration(ns) {
  if (ns >= 1e6) return `${short(ns / 1e6)} ms`;
  return ns >= 1e3 ? `${short(ns / 1e3)} us` : `${short(ns)} ns`;
}

const percent = (value) => `${Number(value.toPrecision(3))} %`;

// `text` is what is read; the full value stands behind it.
const exact = (text, value, unit) =>
  element('span', { class: 'num', 'data-value': full(value), title: unit ? `${full(value)} ${unit}` : full(value) }, text);

const number = (value, unit) => exact(unit ? `${short(value)} ${unit}` : short(value), value, unit);

const clipped = (text, most) => (text.length > most ? `${text.slice(0, most - 3)}...` : text);

// Long names break behind their commas, colons, slashes, dots and underscores.
const breakable = (text) => text.split(/(?<=[,:/._])/).flatMap((part, i) => (i === 0 ? [part] : [element('wbr'), part]));

let lastId = 0;
const freshId = (word) => `${word}-${(lastId += 1)}`;

function say(sentence) {
  document.getElementById('status').textContent = sentence;
}
