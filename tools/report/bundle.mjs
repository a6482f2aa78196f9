// node bundle.mjs PAGE_FOLDER NODE_MODULES OUT: the page of `tilescope report` as one file, with its style and scripts inside
// and the line kMarker where a report's document belongs. Its content security policy names each script by its hash: what a report
// says can not run, and nothing can be fetched.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [folder, modules, out] = process.argv.slice(2);
const text = (...path) => readFileSync(join(...path), 'utf8').replace(/\n?\/\/# sourceMappingURL=.*\n?/g, '\n');

// vega-interpreter is a module; the others are scripts that name a global. It runs formulas of charts without eval.
const interpreter = text(modules, 'vega-interpreter/build/vega-interpreter.js')
  .replace(/^import \{([^}]*)\} from 'vega-util';/m, 'const {$1} = vega;')
  .replace(/^export \{ *(\w+) as expressionInterpreter *\};/m, 'vega.expressionInterpreter = $1;');
if (/^(import|export) /m.test(interpreter)) throw new Error('vega-interpreter is not built as this script expects');

const scripts = [
  text(modules, 'vega/build/vega.min.js'),
  text(modules, 'vega-lite/build/vega-lite.min.js'),
  `{${interpreter}}`,
  ...[
    'format',
    'tables',
    'charts',
    'launch',
    'roofline',
    'bars',
    'lines',
    'accesses',
    'over_time',
    'kernel',
    'sweep',
    'comparison',
    'page',
  ].map((name) => text(folder, `${name}.js`)),
];
// What is bundled, with the licences that go with it; packages with the same text stand together.
const bundled = readdirSync(modules).filter((name) => /^(vega|d3-|topojson-client|internmap|delaunator|robust-predicates)/.test(name));
const licences = new Map();
for (const name of bundled.sort()) {
  const file = readdirSync(join(modules, name)).find((one) => /^licen[sc]e/i.test(one));
  const { version, license } = JSON.parse(text(modules, name, 'package.json'));
  const words = file ? readFileSync(join(modules, name, file), 'utf8').trim() : license;
  licences.set(words, [...(licences.get(words) ?? []), `${name} ${version}`]);
}
const escaped = (words) => words.replace(/&/g, '&amp;').replace(/</g, '&lt;');
const notices = escaped([...licences].map(([words, names]) => `${names.join(', ')}\n\n${words}`).join('\n\n\n'));

// A script ends at the first "</script", wherever it stands; "<!--" would begin a comment that hides the end.
const closed = scripts.map((script) => script.replace(/<\/(script)/gi, '<\\/$1').replace(/<!--/g, '<\\!--'));
const hashes = closed.map((script) => `'sha256-${createHash('sha256').update(script, 'utf8').digest('base64')}'`);
const policy = `default-src 'none'; script-src ${hashes.join(' ')}; style-src 'unsafe-inline'; img-src data: blob:; base-uri 'none'; form-action 'none'`;

const parts = {
  '@POLICY@': policy,
  '@STYLE@': text(folder, 'page.css'),
  '@NOTICES@': notices,
  '@SCRIPTS@': closed.map((script) => `<script>${script}</script>`).join('\n'),
};
// A function as the replacement: "$" stands for itself.
const page = text(folder, 'page.html').replace(/@(POLICY|STYLE|NOTICES|SCRIPTS)@/g, (name) => parts[name]);
if (page.split('@TILESCOPE_REPORT@').length !== 2) throw new Error('the page must have one place for the report');
writeFileSync(out, page);
