import { join } from 'node:path';
import type { FullVerdict } from '../load/commands.ts';
import type { Content } from '../load/contents.ts';
import type { ListenerPlan } from '../load/listen.ts';
import { type LoadProcess, startLoadProcess } from '../load/load-process.ts';
import type { LoadResult } from '../load/send.ts';
import type { Address } from '../load/stream.ts';
import { temporaryDirectory } from '../servers/belongings.ts';
import { demoOwner } from '../servers/demo.ts';
import { CREDENTIALS_FILE, type FloorSetting, startConfab, startFloor } from '../servers/start.ts';
import type { Bench, Setting, Target } from '../suite/context.ts';
import type { Pids } from '../suite/sampler.ts';
import {
  type Audience,
  createAudience,
  floorAudience,
  type Place,
  type Shape,
  type Transports,
} from './audience.ts';
import { addressIn } from './given.ts';

/** What is measured: a server that was started for it, or one elsewhere. */
export interface Server {
  readonly name: string;
  readonly address: Address;
  /** Undefined of one elsewhere. */
  readonly pid: number | undefined;
  readonly inspectorUrl: string | undefined;
  readonly stop: (signal?: 'SIGTERM' | 'SIGKILL') => Promise<void>;
}

/** A server and the process that loads it. */
export interface Loaded {
  readonly server: Server;
  readonly load: LoadProcess;
  readonly pids: Pids;
  readonly stop: () => Promise<void>;
}

/** The same with its listeners. */
export interface Subject extends Loaded {
  readonly audience: Audience;
}

/** As long as a chat message of some words; the bytes of a frame are mostly its envelope. */
export const CONTENT_LENGTH = 80;
/** Of a file of real messages. */
const REAL_MESSAGES_MAX = 20_000;

export function contentOf({ messages }: Setting): Content {
  if (messages === undefined) return { length: CONTENT_LENGTH };
  return { file: messages, count: REAL_MESSAGES_MAX };
}

/** A confab to be measured, with its owner: one elsewhere when the run was given one. */
export interface Stage {
  readonly server: Server;
  readonly place: Place;
  readonly stop: () => Promise<void>;
}

export async function openStage(
  { target }: Setting,
  { hasInspector = false } = {},
): Promise<Stage> {
  if (target !== undefined) return elsewhere(target);
  const directory = temporaryDirectory();
  const server = await startConfab({ data: directory.path, hasInspector });
  const owner = demoOwner(join(directory.path, CREDENTIALS_FILE));
  return {
    server,
    place: { address: server.address, data: directory.path, owner },
    stop: async () => {
      await server.stop();
      directory.remove();
    },
  };
}

function elsewhere({ url, credentials }: Target): Stage {
  const address = addressIn(url);
  const owner = demoOwner(credentials);
  const stop = async () => {};
  const server = { name: 'confab', address, pid: undefined, inspectorUrl: undefined, stop };
  return { server, place: { address, data: undefined, owner }, stop };
}

interface SubjectOptions {
  readonly hasInspector?: boolean;
}

export async function confabSubject(
  setting: Setting,
  shape: Shape,
  options: SubjectOptions = {},
): Promise<Subject> {
  const stage = await openStage(setting, options);
  const audience = await createAudience(stage.place, shape);
  return await subject(
    { server: stage.server, audience, content: contentOf(setting), hasContent: true },
    stage.stop,
  );
}

export interface FloorChoice extends Omit<FloorSetting, 'durable'> {
  /** `floor`, unless it is said. */
  readonly name?: string;
  readonly isDurable?: boolean;
}

/** The least that could do the same, and who may speak to it. */
export async function openFloor({ name, isDurable = false, ...floor }: FloorChoice) {
  const directory = temporaryDirectory();
  const sender = { email: 'sender@load.example.com', api_key: 'k'.repeat(43) };
  const durable = isDurable ? { durable: { ...sender, data: directory.path } } : {};
  const started = await startFloor({ ...floor, ...durable });
  return {
    server: { ...started, name: name ?? started.name },
    sender,
    stop: async () => {
      await started.stop();
      directory.remove();
    },
  };
}

export async function floorSubject(
  setting: Setting,
  shape: Shape,
  choice: FloorChoice,
): Promise<Subject> {
  const { server, sender, stop } = await openFloor(choice);
  const audience = floorAudience(shape, sender);
  return await subject({ server, audience, content: contentOf(setting), hasContent: false }, stop);
}

interface Staged {
  readonly server: Server;
  readonly audience: Audience;
  readonly content: Content;
  /** Whether it hands out what it is sent. */
  readonly hasContent: boolean;
}

/** A load process for a server and its audience; peers use it as well. */
export async function subject(
  { server, audience, content, hasContent }: Staged,
  stopServer: () => Promise<void>,
): Promise<Subject> {
  const load = startLoadProcess();
  await load.ask('target', server.address);
  await say({ load, audience }, { content, hasContent });
  return {
    server,
    audience,
    load,
    pids: { server: server.pid, generator: load.pid },
    stop: async () => {
      load.stop();
      await stopServer();
    },
  };
}

/** What the sender of the audience says from now on. */
export async function say(
  { load, audience: { sender, channel, mention } }: Pick<Subject, 'load' | 'audience'>,
  said: Pick<Staged, 'content' | 'hasContent'>,
): Promise<void> {
  const mentioning = mention === undefined ? {} : { mention };
  await load.ask('plan', { sender, channel, ...said, ...mentioning });
}

/** All listeners of the audience, or those of a plan. */
export async function attach(
  subject: Subject,
  who: Transports | readonly ListenerPlan[],
): Promise<void> {
  const plans = typeof who === 'string' ? subject.audience.listeners(who) : who;
  await subject.load.ask('listen', plans);
}

/** What a run of the load gave; throws at what makes its figures worthless. */
export async function loaded({ server }: Loaded, run: Promise<LoadResult>): Promise<LoadResult> {
  const result = await run;
  if (result.errors.length > 0) throw new Error(`${server.name}: ${result.errors[0]}`);
  return result;
}

/** Tells of each thing that must not happen and did. */
export async function check(subject: Loaded, bench: Pick<Bench, 'fault'>, what: string) {
  const verdict = await subject.load.ask('verdict', null);
  for (const fault of faults(`${subject.server.name}, ${what}`, verdict)) bench.fault(fault);
}

/** A sentence for each thing that must not happen and did. */
export function faults(name: string, verdict: FullVerdict): readonly string[] {
  const counts = [
    [verdict.lost, 'lost'],
    [verdict.repeated, 'repeated'],
    [verdict.outOfOrder, 'out of order'],
    [verdict.strayed, 'delivered to who is not in the channel'],
    [verdict.altered, 'altered'],
    [verdict.mentionsWrong, 'mentions missing or too many'],
    [verdict.failures.length, `listeners failed: ${verdict.failures[0] ?? ''}`],
  ] as const;
  return counts.filter(([count]) => count > 0).map(([count, what]) => `${name}: ${count} ${what}`);
}
