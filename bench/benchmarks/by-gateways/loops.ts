import { allowedSizes } from '../../fixtures/connections.ts';
import { type SharedServer, sharedConfab } from '../../fixtures/shared.ts';
import { check, type Loaded } from '../../fixtures/subject.ts';
import { underLoad } from '../../fixtures/under-load.ts';
import { warmCase } from '../../fixtures/warm-up.ts';
import type { ClosedLoop, LoadResult } from '../../load/send.ts';
import { summaryOf } from '../../suite/latencies.ts';
import { alternating } from '../../suite/statistics.ts';
import type { Usage } from '../../suite/usage.ts';
import { caseOf, type Part } from './case.ts';

type Metric =
  | 'deliveries per core-second'
  | 'deliveries per second'
  | 'sends per core-second'
  | 'sends per second'
  | 'CPU of all per message'
  | 'CPU of the writer per message'
  | 'CPU of gateways per message'
  | 'reply p50'
  | 'reply p99';

interface FanOutOptions {
  readonly gateways: readonly number[];
  readonly sizes: readonly number[];
  readonly 'in-flight': readonly number[];
  readonly seconds: number;
}

interface Opened {
  readonly gateways: number;
  readonly server: SharedServer;
}

/** A server for each number of gateways, all with the same people. */
async function openServers(
  { options, setting, doing }: Pick<Part<FanOutOptions, never>, 'options' | 'setting' | 'doing'>,
  sizeMax: number,
): Promise<readonly Opened[]> {
  doing('the servers start');
  const opened: Opened[] = [];
  for (const gateways of options.gateways) {
    opened.push({ gateways, server: await sharedConfab(setting, sizeMax, { gateways }) });
  }
  return opened;
}

/** One channel and its sockets, with other numbers of gateways by turns. */
export async function compareFanOut(context: Part<FanOutOptions, Metric>): Promise<void> {
  const { options: chosen, doing } = context;
  const sizes = allowedSizes(chosen.sizes, context);
  const opened = await openServers(context, Math.max(0, ...sizes));
  for (const size of sizes) {
    doing(`${size} sockets come`);
    const sides = await Promise.all(
      opened.map(async ({ gateways, server }) => ({
        gateways,
        subject: await server.admit({ size }, 'socket'),
      })),
    );
    for (const inFlight of chosen['in-flight']) {
      const loop = { inFlight, seconds: chosen.seconds, until: 'delivered' } as const;
      await compareSides(context, sides, {
        curve: `${size} sockets, W = ${inFlight}`,
        loop,
        figures: ({ messageCount, elapsedSeconds }, { server }) => ({
          'deliveries per core-second': server && (messageCount * size) / server.cpuSeconds,
          'deliveries per second': (messageCount * size) / elapsedSeconds,
        }),
      });
    }
    for (const { gateways, subject } of sides) {
      await check(subject, context, `${size} sockets, ${gateways} gateways`);
      await subject.leave();
    }
  }
}

interface SendOptions extends FanOutOptions {
  readonly 'sends-in-flight': readonly number[];
}

/** Durable sends that nobody hears of. */
export async function compareSends(context: Part<SendOptions, Metric>): Promise<void> {
  const { options: chosen } = context;
  const opened = await openServers(context, 0);
  const sides = await Promise.all(
    opened.map(async ({ gateways, server }) => ({
      gateways,
      subject: await server.admit({ size: 0 }, 'socket'),
    })),
  );
  for (const inFlight of chosen['sends-in-flight']) {
    await compareSides(context, sides, {
      curve: `sends, ${inFlight} in flight`,
      loop: { inFlight, seconds: chosen.seconds, until: 'replied' },
      figures: ({ messageCount, elapsedSeconds, reply }, { server }) => ({
        'sends per core-second': server && messageCount / server.cpuSeconds,
        'sends per second': messageCount / elapsedSeconds,
        'reply p50': summaryOf(reply).p50Ms,
        'reply p99': summaryOf(reply).p99Ms,
      }),
    });
  }
  for (const { gateways, subject } of sides) {
    await check(subject, context, `sends, ${gateways} gateways`);
  }
}

interface Side {
  readonly gateways: number;
  readonly subject: Loaded;
}

interface Compared {
  readonly curve: string;
  readonly loop: ClosedLoop;
  readonly figures: (
    result: LoadResult,
    usage: Usage,
  ) => Partial<Record<Metric, number | undefined>>;
}

async function compareSides(
  { setting, measure }: Part<unknown, Metric>,
  sides: readonly Side[],
  { curve, loop, figures }: Compared,
): Promise<void> {
  for (const { subject } of sides) await warmCase(subject, setting, loop);
  for (const { gateways, subject } of alternating(sides, setting.repeats)) {
    await measure({
      case: caseOf(curve, gateways),
      ...underLoad(subject, 'closedLoop', loop),
      figures: (result, usage) => ({ ...figures(result, usage), ...costs(result, usage) }),
    });
  }
}

/** The CPU time that a message costs each kind of process. */
function costs({ messageCount }: LoadResult, { server }: Usage) {
  if (server === undefined) return {};
  const { cpuSeconds, childrenCpuSeconds } = server;
  const each = (seconds: number) => (seconds * 1e6) / messageCount;
  return {
    'CPU of all per message': each(cpuSeconds),
    'CPU of the writer per message': each(cpuSeconds - childrenCpuSeconds),
    'CPU of gateways per message': each(childrenCpuSeconds),
  };
}
