import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { confabSubject, type Subject } from '../fixtures/subject.ts';
import type { Heard, Listening } from '../load/library-worker.ts';
import { belonging } from '../servers/belongings.ts';
import { benchmark, lower } from '../suite/benchmark.ts';
import type { Context } from '../suite/context.ts';
import { number, type Values } from '../suite/options.ts';

const options = {
  listeners: number({ meaning: 'connections of the process, one a user', default: 300, quick: 30 }),
  sends: number({ meaning: 'messages, one after the other', default: 200, quick: 50 }),
  alone: number({ meaning: 'messages for the case of one connection', default: 3000, quick: 300 }),
};

const metrics = {
  'CPU an event': lower(
    'µs',
    'CPU time of the listening process for each message that one of its connections gets.',
  ),
  'CPU a connection': lower(
    'µs',
    'CPU time of the same process to register a queue and to open a connection on it; of a single one, first use is most of it.',
  ),
};

type Client = Context<Values<typeof options>, keyof typeof metrics>;

export const client = benchmark({
  name: 'client',
  summary: 'what the client library costs a program that listens',
  description:
    'A process listens to one channel, by `@confab/client` or by bare sockets whose frames it parses; both use the sockets of `ws`. Somebody sends, and the CPU time of the process is read. With one connection each frame wakes the process; with many it is mostly parsing.',
  elsewhere: true,
  options,
  metrics,
  targets: [],
  seconds: ({ listeners, sends, alone }, repeats) =>
    8 + repeats * 2 * (listeners / 200 + sends / 100 + alone / 1000),
  run: async (context) => {
    const { options: chosen, setting, expect } = context;
    const cases = [
      { count: 1, messages: chosen.alone },
      { count: chosen.listeners, messages: chosen.sends },
    ];
    expect(setting.repeats * cases.length * KINDS.length);
    for (const { count, messages } of cases) {
      context.doing(`${count} listeners`);
      const subject = await confabSubject(setting, { size: count });
      for (let repeat = 0; repeat < setting.repeats; repeat++) {
        for (const kind of KINDS) await measureListeners(context, subject, { ...kind, messages });
      }
      await subject.server.stop();
    }
  },
});

/** Both listen to the same server; bare sockets are the baseline of the library. */
const KINDS = [
  { by: 'library', server: 'confab' },
  { by: 'bare sockets', server: 'baseline' },
] as const;

interface Listeners {
  readonly by: Listening['by'];
  readonly server: string;
  readonly messages: number;
}

async function measureListeners(
  { measure, fault }: Client,
  { server, audience, load }: Subject,
  { by, server: name, messages }: Listeners,
) {
  const people = audience.listeners('socket');
  const process = startListening();
  const before = await process.ask('heard');
  const attached = await process.ask({ address: server.address, by, people });
  await measure({
    case: {
      name: people.length === 1 ? '1 connection' : `${people.length} connections`,
      at: { axis: 'connections', curve: 'listeners', value: people.length },
    },
    server: name,
    pids: { server: process.pid, generator: load.pid },
    run: async () => {
      const begun = await process.ask('heard');
      const loop = { inFlight: 1, seconds: SECONDS_MAX, messages, until: 'replied' } as const;
      await load.ask('warmUp', loop);
      return { begun, ended: await untilHeard(process, begun.messages + messages * people.length) };
    },
    figures: ({ begun, ended }) => ({
      'CPU an event': (ended.cpuUs - begun.cpuUs) / (ended.messages - begun.messages),
      'CPU a connection': (attached.cpuUs - before.cpuUs) / people.length,
    }),
  }).then(({ begun, ended }) => {
    const heard = ended.messages - begun.messages;
    const wanted = messages * people.length;
    if (heard !== wanted) fault(`${by}: ${heard} of ${wanted} messages were heard`);
  });
  process.stop();
}

const SECONDS_MAX = 60;
const LOOK_EVERY_MS = 50;
const LOOKS_MAX = 200;

/** Returns what was heard once it is all, or when nothing more comes. */
async function untilHeard({ ask }: ReturnType<typeof startListening>, wanted: number) {
  for (let look = 0; ; look++) {
    const heard = await ask('heard');
    if (heard.messages >= wanted || look >= LOOKS_MAX) return heard;
    await delay(LOOK_EVERY_MS);
  }
}

function startListening() {
  const worker = belonging(
    fork(fileURLToPath(new URL('../load/library-worker.js', import.meta.url)), {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    }),
  );
  return {
    pid: worker.pid,
    stop: () => worker.disconnect(),
    async ask(what: Listening | 'heard'): Promise<Heard> {
      const answered = once(worker, 'message');
      worker.send(what);
      const [answer] = (await answered) as [Heard | { readonly error: string }];
      if ('error' in answer) throw new Error(`the listening process: ${answer.error}`);
      return answer;
    },
  };
}
