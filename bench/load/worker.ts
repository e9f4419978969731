import type { AnswerMessage, CommandMessage, Commands } from './commands.ts';
import { contentsOf } from './contents.ts';
import { createDeliveryLog } from './delivery-log.ts';
import { createKnownEventsCache } from './known-events.ts';
import { type Listening, listen } from './listen.ts';
import { type ReplayMessage, replayMessages } from './replay-messages.ts';
import { joinRoom } from './rooms/room.ts';
import { until } from './schedule.ts';
import { closedLoop, fixedRate, type SendSetting } from './send.ts';
import { httpSpeaker, socketSpeaker } from './speaker.ts';
import { type SteadySends, settle, sharedNowMs, startSteadySends } from './steady-sends.ts';
import type { Address } from './stream.ts';

// A process of its own, so that generating load takes nothing from the server or the measurement.

type Given<Name extends keyof Commands> = Commands[Name][0];
type Answer<Name extends keyof Commands> = Commands[Name][1];

let address: Address | undefined;
let voice: Omit<SendSetting, 'deliveryLog' | 'nextIndex'> | undefined;
let deliveryLog = createDeliveryLog();
let listening: Listening[] = [];
let messages: ReplayMessage[] = [];
let nextIndex = 0;
let steady: readonly SteadySends[] = [];

const commands: {
  readonly [Name in keyof Commands]: (
    given: Given<Name>,
    number: number,
  ) => Answer<Name> | Promise<Answer<Name>>;
} = {
  target: (given) => {
    address = given;
    return null;
  },
  listen: async (plans) => {
    listening.push(await listen(target(), deliveryLog, createKnownEventsCache(), plans));
    return null;
  },
  plan: async (plan) => {
    const at = target();
    voice = {
      openSpeaker: (via, connections) =>
        via === 'socket' ? socketSpeaker(at, plan) : httpSpeaker(at, plan, connections),
      contents: await contentsOf(plan.content, plan.mention),
      hasContent: plan.hasContent,
      mentionsMarked: plan.mention !== undefined,
    };
    return null;
  },
  join: async (plan) => {
    const room = await joinRoom({ address: target(), deliveryLog }, plan);
    listening.push(room);
    voice = {
      // All messages that are under way share the one connection of the speaker.
      openSpeaker: () => room.speaker,
      contents: await contentsOf(plan.content, undefined),
      hasContent: true,
      mentionsMarked: false,
    };
    return null;
  },
  closedLoop: (loop) => closedLoop(sendSetting(), loop),
  warmUp: (loop) => {
    if (listening.length > 0) throw new Error('listeners would get what nobody asks for');
    return closedLoop(
      { ...sendSetting(), deliveryLog: createDeliveryLog() },
      { ...loop, until: 'replied' },
    );
  },
  fixedRate: (rate) => fixedRate(sendSetting(), rate),
  addMessages: (more) => {
    messages.push(...more);
    return null;
  },
  replay: (_given, number) =>
    replayMessages({ address: target(), deliveryLog }, messages, (progress) => {
      tell({ number, progress });
    }),
  startSteady: (plans) => {
    steady = plans.map((one) => startSteadySends(target(), one));
    return null;
  },
  stopSteady: () => Promise.all(steady.map(({ stop }) => stop())),
  untilAttached: async (count) => {
    const attached = () => listening.reduce((sum, one) => sum + one.attachedCount(), 0);
    const failed = () => listening.flatMap(({ failures }) => failures).at(0);
    await until(() => attached() >= count || failed() !== undefined);
    if (failed() !== undefined) throw new Error(`a listener failed: ${failed()}`);
    return sharedNowMs();
  },
  settle: (sends) => settle(deliveryLog, sends),
  verdict: () => ({
    ...deliveryLog.verdict(),
    reconnects: listening.reduce((total, { reconnectCount }) => total + reconnectCount(), 0),
    failures: listening.flatMap(({ failures }) => failures),
  }),
  leave: async () => {
    for (const { leave } of listening) await leave();
    return forget();
  },
  close: () => {
    for (const { close } of listening) close();
    messages = [];
    return forget();
  },
};

function forget(): null {
  listening = [];
  deliveryLog = createDeliveryLog();
  return null;
}

function target(): Address {
  if (address === undefined) throw new Error('a target must be set first');
  return address;
}

function sendSetting(): SendSetting {
  if (voice === undefined) throw new Error('a plan must be set first');
  return { ...voice, deliveryLog, nextIndex: () => nextIndex++ };
}

function tell(answer: AnswerMessage): void {
  process.send?.(answer);
}

async function perform({ number, name, given }: CommandMessage): Promise<void> {
  try {
    // The name says which type `given` has; the parent's `ask` holds both to `Commands`.
    const command = commands[name] as (given: unknown, number: number) => unknown;
    tell({ number, answer: await command(given, number) });
  } catch (error) {
    tell({ number, error: error instanceof Error ? error.message : String(error) });
  }
}

process.on('message', (message: CommandMessage) => void perform(message));
process.on('disconnect', () => process.exit());
