// node browser.mjs FOLDER [SCREENSHOTS]: opens the reports that tests/report/run has written into FOLDER, whose node_modules it uses.
import { createRequire } from 'node:module';
import { mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [folder, pictures] = process.argv.slice(2);
const require = createRequire(join(folder, 'package.json'));
const { chromium } = require('playwright-core');
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
if (pictures) mkdirSync(pictures, { recursive: true });

let passed = 0;
let failed = 0;
function check(holds, what) {
  if (holds) passed += 1;
  else {
    failed += 1;
    console.error(`FAILED  ${what}`);
  }
}

const mostMs = 2000; // that the page's main thread computes until it is there: how long it takes where nothing else runs
const tries = 3; // to stay below that: a machine in use is slower at times
const mostBytes = 2_000_000;
const settings = ['light', 'dark'].flatMap((theme) => [1280, 400].map((width) => ({ theme, width })));

// Waits until what `holds` says of the page; its policy lets no script be made there, so it is asked again and again.
async function until(page, holds, argument) {
  for (let tries = 0; tries < 500; tries += 1) {
    if (await page.evaluate(holds, argument)) return;
    await new Promise((done) => {
      setTimeout(done, 10);
    });
  }
  throw new Error(`never came: ${holds}`);
}

// A new page with everything that it says and asks for.
async function opened(browser, name, { theme, width }, more = {}) {
  const context = await browser.newContext({ colorScheme: theme, viewport: { width, height: 900 }, reducedMotion: 'reduce', ...more });
  const page = await context.newPage();
  const said = [];
  const asked = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) said.push(message.text());
  });
  page.on('pageerror', (error) => said.push(String(error)));
  page.on('request', (request) => {
    if (!/^(file|data|blob):/.test(request.url())) asked.push(request.url());
  });
  const url = pathToFileURL(join(folder, `${name}.html`)).href;
  const inside = await context.newCDPSession(page);
  await inside.send('Performance.enable', { timeDomain: 'threadTicks' });
  const begun = performance.now();
  await page.goto(url, { waitUntil: 'load' });
  await until(page, () => document.querySelectorAll('.chart svg').length > 0);
  const waited = performance.now() - begun;
  const { metrics } = await inside.send('Performance.getMetrics');
  const computed = 1000 * metrics.find((one) => one.name === 'ThreadTime').value;
  return { page, context, said, asked, waited, computed };
}

// The quickest of a few openings, unless one is quick enough.
async function openedQuickly(browser, name, setting) {
  let best = await opened(browser, name, setting);
  for (let i = 1; i < tries && best.computed >= mostMs; i += 1) {
    const next = await opened(browser, name, setting);
    const [quicker, slower] = next.computed < best.computed ? [next, best] : [best, next];
    best = quicker;
    await slower.context.close();
  }
  return best;
}

// Every chart of the page drawn, as a reader who scrolls to its end has them.
const drawAll = (page) =>
  page.evaluate(async () => {
    drawOpenCharts();
    await new Promise((done) => {
      setTimeout(done, 150);
    });
  });

async function violations(page) {
  await page.evaluate(axe);
  const found = await page.evaluate(async () =>
    (await globalThis.axe.run(document, { resultTypes: ['violations'] })).violations
      .filter((one) => ['serious', 'critical'].includes(one.impact))
      .map(
        (one) =>
          `${one.id}: ${one.nodes
            .slice(0, 3)
            .map((node) => `${node.target.join(' ')} (${node.failureSummary.split('\n').at(-1).trim()})`)
            .join('; ')}`,
      ),
  );
  return found;
}

async function looksRight(browser, name) {
  for (const setting of settings) {
    const where = `${name}, ${setting.theme}, ${setting.width} pixels`;
    const { page, context, said, asked, waited, computed } = await openedQuickly(browser, name, setting);
    check(computed < mostMs, `${where}: there after ${Math.round(computed)} ms of computing; must be ${mostMs}`);
    if (setting === settings[0])
      console.log(
        `${name}: ${Math.round(statSync(join(folder, `${name}.html`)).size / 1000)} kB, ` +
          `there after ${Math.round(waited)} ms, of which it computes ${Math.round(computed)}`,
      );
    await drawAll(page);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    check(wide <= setting.width, `${where}: the page is ${wide} pixels wide`);
    const empty = await page.evaluate(() =>
      [...figures.values()]
        .filter((one) => one.holder.isConnected && one.holder.clientWidth > 0 && !one.holder.querySelector('svg'))
        .map((one) => one.name),
    );
    check(empty.length === 0, `${where}: not drawn: ${empty.join(', ')}`);
    const bad = await violations(page);
    check(bad.length === 0, `${where}: ${bad.join('\n        ')}`);
    check(said.length === 0, `${where}: said on the console: ${said.join('; ')}`);
    check(asked.length === 0, `${where}: asked for ${asked.join(', ')}`);
    if (pictures) await page.screenshot({ path: join(pictures, `${name}-${setting.theme}-${setting.width}.png`), fullPage: true });
    await context.close();
  }
  const size = statSync(join(folder, `${name}.html`)).size;
  check(size < mostBytes, `${name}: ${size} bytes; must be fewer than ${mostBytes}`);
}

// What the overview and the table of metrics show is what `run --format json` says.
async function figuresAgree(browser) {
  const result = JSON.parse(readFileSync(join(folder, 'compiled.json'), 'utf8'));
  const { page, context } = await opened(browser, 'compiled', settings[0]);
  await page.evaluate(() => {
    [...document.querySelectorAll('#kernel-0 details.data')].forEach((one) => {
      one.open = true;
    });
  });
  await page.waitForTimeout(200);
  const shown = await page.evaluate(() =>
    Object.fromEntries(
      [...document.querySelectorAll('#kernel-0 > .body > details.data tbody tr')].map((row) => [
        row.children[0].textContent,
        row.children[1].textContent,
      ]),
    ),
  );
  const names = Object.keys(result.metrics);
  const wrong = names.filter((name) => shown[name] !== String(result.metrics[name]));
  check(
    names.length > 50 && wrong.length === 0,
    `metrics that the page shows otherwise than run --format json: ${wrong.slice(0, 3).join(', ')}`,
  );
  const cells = await page.evaluate(() =>
    [...document.querySelectorAll('#overview tbody tr:first-child [data-value]')].map((one) => one.dataset.value),
  );
  for (const value of [result.metrics['gpc__cycles_elapsed.max'], result.derived.l2_hit_rate_pct])
    check(cells.includes(String(value)), `the overview shows ${cells.join(', ')}, not ${value}`);
  await context.close();
}

// With the keyboard alone: a kernel opens, the theme changes, a table's data appears.
async function keyboardWorks(browser) {
  const { page, context } = await opened(browser, 'kernels', settings[0]);
  await page.focus('#kernel-1 > summary');
  await page.keyboard.press('Enter');
  await until(page, () => document.querySelector('#kernel-1 .chart svg') !== null);
  await page.focus('#kernel-1 details.data > summary');
  await page.keyboard.press('Enter');
  await until(page, () => document.querySelector('#kernel-1 details.data[open] table') !== null);
  await page.focus('#theme');
  await page.keyboard.press('Space');
  check(await page.evaluate(() => document.documentElement.dataset.theme === 'dark'), 'the theme does not change');
  check((await page.evaluate(() => document.activeElement.id)) === 'theme', 'the focus is lost');
  const first = await page.evaluate(() => document.querySelector('#overview tbody th').textContent);
  await page.focus('#overview thead th:nth-child(2) button');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Enter');
  check((await page.evaluate(() => document.querySelector('#overview tbody th').textContent)) !== first, 'sorting changes nothing');
  await context.close();
}

// A page of its own for each: the browser holds back a second download.
async function chartsAreSaved(browser) {
  for (const [kind, begin] of [
    ['SVG', '<svg'],
    ['PNG', '\x89PNG'],
  ]) {
    const { page, context } = await opened(browser, 'compiled', { theme: 'dark', width: 1280 }, { acceptDownloads: true });
    await drawAll(page); // a chart that is drawn moves what is below it
    const coming = page.waitForEvent('download');
    await page.locator('#kernel-0 figure .save button', { hasText: kind }).first().click();
    const path = await (await coming).path();
    check(readFileSync(path, 'latin1').startsWith(begin), `the saved ${kind} is none`);
    await context.close();
  }
}

async function studyAnswers(browser) {
  const { page, context, said } = await opened(browser, 'study', settings[0]);
  const before = await page.locator('.chart svg').first().innerHTML();
  const begun = performance.now();
  await page.selectOption('select >> nth=0', 'raster');
  await until(page, (old) => document.querySelector('.chart svg')?.innerHTML !== old, before);
  const ms = performance.now() - begun;
  check(ms < 1000, `another parameter of the heat map takes ${Math.round(ms)} ms`);
  check(said.length === 0, `the study says: ${said.join('; ')}`);
  await context.close();
}

async function prints(browser) {
  const { page, context, said } = await opened(browser, 'compiled', { theme: 'dark', width: 1280 });
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  await drawAll(page);
  const [paper, ink] = await page.evaluate(() => [
    getComputedStyle(document.body).backgroundColor,
    getComputedStyle(document.querySelector('.chart .mark-text text')).fill,
  ]);
  check(paper === 'rgb(255, 255, 255)' && ink === 'rgb(0, 0, 0)', `printed ${ink} on ${paper}`);
  const paged = await page.pdf({ format: 'A4', ...(pictures ? { path: join(pictures, 'compiled.pdf') } : {}) });
  check(paged.length > 10_000, 'nothing is printed');
  check(said.length === 0, `printing says: ${said.join('; ')}`);
  await context.close();
}

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? 'chromium', args: ['--no-sandbox', '--disable-gpu'] });
try {
  for (const name of ['compiled', 'kernels', 'study', 'comparison']) await looksRight(browser, name);
  await figuresAgree(browser);
  await keyboardWorks(browser);
  await chartsAreSaved(browser);
  await studyAnswers(browser);
  await prints(browser);
} finally {
  await browser.close();
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);
