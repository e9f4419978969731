import { baselineMesh, confabMesh } from '../fixtures/many-channels.ts';
import { attach, check } from '../fixtures/subject.ts';
import { compareLoops } from '../fixtures/under-load.ts';
import { warmCase, warmSends } from '../fixtures/warm-up.ts';
import { benchmark, higher } from '../suite/benchmark.ts';
import { number, numbers } from '../suite/options.ts';

const options = {
  channels: number({ meaning: 'and as many people', default: 1_000, quick: 40 }),
  'per-channel': number({ meaning: 'people of each channel', default: 20, quick: 4 }),
  'in-flight': numbers({ meaning: 'messages under way at once', default: [16, 64], quick: [16] }),
  seconds: number({ meaning: 'of each measurement', default: 0.6, quick: 0.5 }),
};

const metrics = {
  'deliveries per core-second': higher(
    '/s',
    'Messages that reached a listener, for each second of CPU time that all threads of the server used. The sends are in it, and here they are much of it.',
  ),
  'sends per second': higher(
    '/s',
    'On the clock: of the server and the generator together, on this machine.',
  ),
};

export const manyChannels = benchmark({
  name: 'many-channels',
  summary: 'many channels with few people each, and real messages: what a busy server does',
  description:
    'As many people as channels, each by socket in as many channels as a channel has people. Real messages go to the channels by turns; W are under way at once: the next is sent when all people of its channel have the last. The baseline is a bare uWebSockets.js server with a topic for each channel that takes the same requests and publishes as many bytes; it stores nothing, where confab commits each message durably and renders it. The durable baseline is the same with two awaited puts into LMDB before it answers and publishes.',
  elsewhere: true,
  options,
  metrics,
  targets: [
    {
      name: 'many channels, of bare topics',
      metric: 'deliveries per core-second',
      case: /^1000 channels × 20, W = /,
      against: { server: 'baseline' },
      atLeast: 0.6,
    },
    {
      name: 'many channels, of durable topics',
      metric: 'deliveries per core-second',
      case: /^1000 channels × 20, W = /,
      against: { server: 'durable baseline' },
      atLeast: 0.9,
    },
  ],
  seconds: ({ channels, seconds, ...others }, repeats) =>
    3 * repeats * others['in-flight'].length * seconds + SETTING_UP_SECONDS + channels / 60,
  run: async (context) => {
    const { options: chosen, setting, expect, doing } = context;
    const mesh = { channels: chosen.channels, perChannel: chosen['per-channel'] };
    const isAlone = setting.remote !== undefined;
    expect(chosen['in-flight'].length * setting.repeats * (isAlone ? 1 : 3));
    doing(`${mesh.channels} channels`);
    const confab = await confabMesh(setting, mesh);
    const subjects = [confab];
    await warmSends(confab, setting);
    await attach(confab, 'socket');
    // One under way: a frame of one message alone tells how many of its bytes are not content.
    await warmCase(confab, setting, { inFlight: 1, until: 'delivered' });
    const { envelopeBytes } = await confab.load.ask('verdict', null);
    if (!isAlone) {
      const choices = [false, true].map((isDurable) => ({ envelopeBytes, isDurable }));
      const starting = choices.map((choice) => baselineMesh(setting, mesh, choice));
      const baselines = await Promise.all(starting);
      subjects.push(...baselines);
      await Promise.all(baselines.map((baseline) => warmSends(baseline, setting)));
      for (const baseline of baselines) await attach(baseline, 'socket');
    }
    const { channels, perChannel } = mesh;
    for (const inFlight of chosen['in-flight']) {
      await compareLoops(context, subjects, {
        case: `${channels} channels × ${perChannel}, W = ${inFlight}`,
        loop: { inFlight, seconds: chosen.seconds, until: 'delivered' },
        figures: (result, usage) => ({
          'deliveries per core-second':
            usage.server && (result.messageCount * perChannel) / usage.server.cpuSeconds,
          'sends per second': result.messageCount / result.elapsedSeconds,
        }),
      });
    }
    for (const subject of subjects) await check(subject, context, 'many channels');
  },
});

const SETTING_UP_SECONDS = 8;
