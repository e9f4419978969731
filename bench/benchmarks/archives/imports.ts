import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Place } from '../../fixtures/audience.ts';
import { ARCHIVES } from '../../fixtures/chat-archives.ts';
import { type Others, openOthers } from '../../fixtures/others.ts';
import { contentOf, openFixture } from '../../fixtures/subject.ts';
import { temporaryDirectory } from '../../servers/belongings.ts';
import { type Command, measuredCommand } from '../../servers/start.ts';
import { benchmark, higher, lower } from '../../suite/benchmark.ts';
import type { Context } from '../../suite/context.ts';
import { summaryOf } from '../../suite/latencies.ts';
import { number, type Values, words } from '../../suite/options.ts';

const options = {
  stored: number({ meaning: 'messages of an archive', default: 40_000, quick: 1_000 }),
  formats: words(['irc', 'slack'], { meaning: 'services', default: ['irc', 'slack'] }),
  rate: number({ meaning: 'sends a second of the other realm', default: 100 }),
  long: number({
    meaning: 'messages of a long archive, whose peak of memory is compared; 0 leaves it out',
    default: 0,
  }),
};

const metrics = {
  'send p99': lower('ms', 'From the planned time of a send to its answer; 99 in 100 are within.'),
  'send p50': lower('ms', 'The same, of which half are within.'),
  'longest send': lower('ms', 'The longest of them.'),
  'messages a minute': higher(
    'messages',
    'Messages of the archive, by the time from the start of the command to its end.',
  ),
  'server CPU': lower('ms', 'CPU time of all threads of the server for 1,000 messages.'),
  'import CPU': lower('ms', 'CPU time of the process of the import for 1,000 messages.'),
  'import peak': lower(
    'MB',
    'The most memory that the process of the import had, without the pages of the store.',
  ),
};

type Imports = Context<Values<typeof options>, keyof typeof metrics>;

const QUIET = 'quiet';
/** Longer than an import, since all cases are compared with it, and a p99 is of the slowest few. */
const QUIET_MS = 30_000;
const MEGABYTE = 1_000_000;

export const imports = benchmark({
  name: 'imports',
  summary:
    'what sends wait while the history of another service is imported, and how long it takes',
  description:
    'Somebody sends at a fixed rate, first to a quiet server and then while its command line imports an archive of another service: into a new realm, into a realm that has as many messages already, and into the very realm of who sends. The process of the import and the load run on the same cores.',
  elsewhere: 'the import is made by the command line, where the data directory is.',
  options,
  metrics,
  targets: [
    {
      name: 'sends of other realms during an import, of quiet ones',
      metric: 'send p99',
      case: /realm$/,
      against: { case: QUIET },
      atMost: 2,
    },
    {
      name: 'messages of an archive in a minute',
      metric: 'messages a minute',
      case: /realm$/,
      atLeast: 100_000,
    },
  ],
  seconds: ({ stored, formats, long }, repeats) =>
    8 + long / 2_000 + repeats * (30 + formats.length * (9 + (3 * stored) / 2_000)),
  run: async (context) => {
    const { options: chosen, setting, expect, doing } = context;
    const { stored, formats, long } = chosen;
    expect(setting.repeats * (1 + formats.length * 3) + (long > 0 ? formats.length : 0));
    const { place, server } = await openFixture(setting);
    const running = { place, pid: server.pid, others: await openOthers(place) };
    const { path: folder } = temporaryDirectory();
    const write = async (format: string, messages: number) => {
      doing(`an archive of ${messages} messages of ${format}`);
      const path = join(folder, `${format}-${messages}`);
      await ARCHIVES[format as keyof typeof ARCHIVES](path, {
        messages,
        content: contentOf(setting),
      });
      // Otherwise the system writes it to disk half a minute later, while sends are measured.
      await promisify(execFile)('sync');
      return path;
    };
    const paths = new Map<string, string>();
    for (const format of formats) paths.set(format, await write(format, stored));
    for (let repeat = 0; repeat < setting.repeats; repeat++) {
      await sendDuring(context, running, { name: QUIET, work: () => delay(QUIET_MS, undefined) });
      for (const [format, path] of paths) {
        const realm = `${format}-${repeat}`;
        const into = (to: string, more: readonly string[] = []) =>
          imported(running, ['import', format, path, '--realm', to, ...more]);
        const measured = (name: string, work: () => Promise<Command>) =>
          sendDuring(context, running, { name: `${format}, ${name}`, work, messages: stored });
        await measured('new realm', () => into(realm));
        await measured('used realm', () => into(realm, ['--source', 'again']));
        await measured('realm of the sends itself', () => into('demo', ['--source', `r${repeat}`]));
      }
    }
    for (const format of long > 0 ? formats : []) {
      const path = await write(format, long);
      await sendDuring(context, running, {
        name: `${format}, ${long} messages`,
        work: () => imported(running, ['import', format, path, '--realm', `${format}-long`]),
        messages: long,
      });
      rmSync(path, { recursive: true });
    }
  },
});

interface Running {
  readonly place: Place;
  readonly pid: number | undefined;
  readonly others: Others;
}

async function imported(
  { place: { data } }: Running,
  parameters: readonly string[],
): Promise<Command> {
  if (data === undefined) throw new Error('an import is made where the data directory is');
  return await measuredCommand(data, parameters);
}

interface Work {
  readonly name: string;
  readonly work: () => Promise<Command | undefined>;
  readonly messages?: number;
}

const sendDuring = (
  { measure, fault, options: { rate } }: Imports,
  { pid, others }: Running,
  { name, work, messages = 0 }: Work,
) =>
  measure({
    case: name,
    server: 'confab',
    pids: { server: pid, generator: process.pid },
    run: async () => {
      const done = await others.sendDuring({ perSecond: rate, besideMs: 0 }, work);
      const [head] = done.result?.lines ?? [{ messages }];
      if (head?.['messages'] !== messages) fault(`${name}: ${String(head?.['messages'])} came`);
      return done;
    },
    figures: ({ result: made, times }, usage) => ({
      'send p99': summaryOf(times).p99Ms,
      'send p50': summaryOf(times).p50Ms,
      'longest send': summaryOf(times).maxMs,
      'messages a minute': made && (60 * messages) / made.seconds,
      'server CPU': made && usage.server && (1e6 * usage.server.cpuSeconds) / messages,
      'import CPU': made && (1e6 * made.cpuSeconds) / messages,
      'import peak': made && made.peakBytes / MEGABYTE,
    }),
    latencies: ({ times }) => ({ send: times }),
  });
