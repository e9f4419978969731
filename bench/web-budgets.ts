import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { endOnSignals } from './servers/belongings.ts';
import { print, runMain } from './terminal/terminal.ts';
import { corpusOf } from './web/corpus.ts';
import { openHall } from './web/hall.ts';
import { readManifest } from './web/loading.ts';
import { measureAll, WHOLE_AMOUNTS } from './web/measure.ts';
import { WHOLE } from './web/realm.ts';

const HELP = `web-budgets: measures the web client against its budgets, in Chromium

  npm run web-budgets -- [<messages.jsonl.gz>] [options]

The file has real messages, one JSON object a line; without it, they are made by a seed.

  --messages <n>     messages of the large channel    (100000)
  --heap <n>         messages that come in while the heap is watched  (72000)
  --quick            a twentieth of everything: that it works
  --only <section>   loading, narrows, scrolling, typing, incoming or heap
  --chromium <path>  another Chromium than the one of the system
  --json <file>      write the figures there as well
  --help`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    messages: { type: 'string', default: String(WHOLE.messages) },
    heap: { type: 'string', default: String(WHOLE_AMOUNTS.messages) },
    quick: { type: 'boolean', default: false },
    only: { type: 'string' },
    chromium: { type: 'string' },
    json: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

async function main(): Promise<void> {
  if (values.help) return print(HELP);
  const startedAt = performance.now();
  let shown = '';
  const onPart = (doing: string, part: number) => {
    const now = `${doing} ${(10 * part).toFixed(0)}`;
    if (now === shown) return;
    shown = now;
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0).padStart(4);
    print(`${seconds} s  ${doing} ${(100 * part).toFixed(0)} %`);
  };
  const size = { ...WHOLE, messages: Number(values.messages) };
  const lines = await corpusOf(positionals[0], size.messages);
  const manifest = readManifest(fileURLToPath(new URL('../bundle/web', import.meta.url)));
  const hall = await openHall({ size, lines, chromium: values.chromium, onPart });
  try {
    const amounts = { ...WHOLE_AMOUNTS, messages: Number(values.heap) };
    const found = await measureAll({ hall, manifest, amounts, onPart, only: values.only });
    for (const { key, value, note, calibration } of found)
      print(
        `${key} ${value.toFixed(2)} [${calibration.cpuMs.toFixed(1)} ${calibration.clockMs.toFixed(1)}] ${note}`,
      );
    if (values.json !== undefined) writeFileSync(values.json, JSON.stringify(found, null, 2));
  } finally {
    await hall.close();
  }
}

endOnSignals();
await runMain(main);
process.exit();
