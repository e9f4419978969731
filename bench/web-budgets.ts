import { readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { endOnSignals } from './servers/belongings.ts';
import { currentCommit, describeMachine } from './suite/machine.ts';
import { print, runMain } from './terminal/terminal.ts';
import { corpusOf } from './web/corpus.ts';
import { type BudgetRun, withFigures } from './web/figures-page.ts';
import { type Hall, openHall } from './web/hall.ts';
import { readManifest } from './web/loading.ts';
import { type Amounts, type Measured, measureAll, SECTIONS, WHOLE_AMOUNTS } from './web/measure.ts';
import { WHOLE } from './web/realm.ts';

const HELP = `web-budgets: measures the web client against its budgets, in Chromium

  npm run web-budgets -- [<messages.jsonl.gz>] [options]

The file has real messages, one JSON object a line; without it, they are made by a seed. The figures
go to docs/web-budgets.md, of a whole run only. It takes five to nine minutes on two cores.

  --quick            little of everything: that it works
  --only <section>   ${SECTIONS.join(', ')}
  --chromium <path>  another Chromium than the one of the system
  --json <file>      write the figures there as well
  --help`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string' },
    chromium: { type: 'string' },
    json: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

const QUICK_AMOUNTS: Amounts = {
  loads: 2,
  narrows: 3,
  steps: 30,
  jumps: 2,
  messages: 20_000,
  rounds: 1,
  seconds: 4,
};

async function main(): Promise<void> {
  if (values.help) return print(HELP);
  if (values.only !== undefined && !SECTIONS.includes(values.only)) {
    throw new Error(`--only: ${values.only} is none of ${SECTIONS.join(', ')}`);
  }
  const startedAt = performance.now();
  const onPart = progress(startedAt);
  const size = { ...WHOLE, messages: values.quick ? WHOLE.messages / 5 : WHOLE.messages };
  const [path] = positionals;
  const lines = await corpusOf(path, size.messages);
  if (lines.length === 0) throw new Error(`${path} has no messages`);
  const manifest = readManifest(fileURLToPath(new URL('../bundle/web', import.meta.url)));
  const hall = await openHall({ size, lines, chromium: values.chromium, onPart });
  try {
    const found = await measureAll({
      hall,
      manifest,
      amounts: values.quick ? QUICK_AMOUNTS : WHOLE_AMOUNTS,
      onPart,
      onFound: printFound,
      only: values.only === undefined ? undefined : [values.only],
    });
    const minutes = Math.ceil((performance.now() - startedAt) / 60_000);
    const corpus =
      path === undefined ? 'messages made by a seed' : `real messages (${basename(path)})`;
    const run = { ...conditionsOf(hall), corpus, minutes, found };
    if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(run, null, 2)}\n`);
    if (!values.quick && values.only === undefined) writePage(run);
  } finally {
    await hall.close();
  }
}

function progress(startedAt: number) {
  let shown = '';
  return (doing: string, part: number) => {
    const now = `${doing} ${(10 * part).toFixed(0)}`;
    if (now === shown) return;
    shown = now;
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0).padStart(4);
    print(`${seconds} s  ${doing} ${(100 * part).toFixed(0)} %`);
  };
}

function printFound(found: readonly Measured[]) {
  for (const { key, value, note, calibration } of found) {
    const loop = `loop ${calibration.cpuMs.toFixed(1)}/${calibration.clockMs.toFixed(1)} ms`;
    print(`        ${key} ${value.toFixed(2)} (${loop}) ${note}`);
  }
}

function conditionsOf({ reader }: Hall): Pick<BudgetRun, 'day' | 'commit' | 'machine' | 'browser'> {
  const { cpu, cores, loadBefore, node } = describeMachine('.');
  const { commit, isChanged } = currentCommit();
  return {
    day: new Date().toISOString().slice(0, 10),
    commit: isChanged ? `${commit} with changes` : commit,
    machine: `${cores} cores of ${cpu} with a load of ${loadBefore.toFixed(1)}, Node ${node}`,
    browser: `Chromium ${reader.browser.version()}`,
  };
}

const PAGE = 'docs/web-budgets.md';

function writePage(run: BudgetRun) {
  writeFileSync(PAGE, withFigures(readFileSync(PAGE, 'utf8'), run));
  print(`wrote ${PAGE}`);
}

endOnSignals();
await runMain(main);
process.exit();
