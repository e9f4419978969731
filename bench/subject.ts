import { join } from 'node:path';
import { type Audience, createAudience, floorAudience } from './audience.ts';
import type { FullVerdict } from './load/commands.ts';
import type { Transport } from './load/listen.ts';
import { type LoadProcess, startLoadProcess } from './load/load-process.ts';
import type { LoadResult } from './load/send.ts';
import {
  CREDENTIALS_FILE,
  cpuSeconds,
  demoOwner,
  type FloorSetting,
  type RunningServer,
  startConfab,
  startFloor,
  temporaryDirectory,
} from './servers.ts';

/** A server, its listeners, and the process that loads it. */
export interface Subject {
  readonly server: RunningServer;
  readonly audience: Audience;
  readonly load: LoadProcess;
  readonly stop: () => Promise<void>;
}

// As long as a chat message of some words; the bytes of a frame are mostly its envelope.
const CONTENT_LENGTH = 80;

export async function confabSubject(listenerCount: number, hasInspector = false): Promise<Subject> {
  const directory = temporaryDirectory();
  const server = await startConfab({ data: directory.path, hasInspector });
  const owner = demoOwner(join(directory.path, CREDENTIALS_FILE));
  const place = { address: server.address, data: directory.path, owner };
  const audience = await createAudience(place, listenerCount);
  return await subject(server, audience, directory.remove);
}

export async function floorSubject(
  listenerCount: number,
  setting: Omit<FloorSetting, 'durable'> & { readonly isDurable?: boolean },
): Promise<Subject> {
  const directory = temporaryDirectory();
  const sender = { email: 'sender@load.example.com', api_key: 'k'.repeat(43) };
  const durable = setting.isDurable ? { durable: { ...sender, data: directory.path } } : {};
  const server = await startFloor({ ...setting, ...durable });
  return await subject(server, floorAudience(listenerCount, sender), directory.remove);
}

async function subject(
  server: RunningServer,
  audience: Audience,
  removeData: () => void,
): Promise<Subject> {
  const load = startLoadProcess();
  await load.ask('target', server.address);
  await load.ask('plan', {
    sender: audience.sender,
    channel: audience.channel,
    contentLength: CONTENT_LENGTH,
    hasContent: server.name === 'confab',
  });
  return {
    server,
    audience,
    load,
    stop: async () => {
      load.stop();
      await server.stop();
      removeData();
    },
  };
}

export async function attach(subject: Subject, transport: Transport): Promise<void> {
  await subject.load.ask('listen', subject.audience.listeners(transport));
}

export interface Measured {
  readonly result: LoadResult;
  readonly cpuSeconds: number;
}

/** Runs the load, and counts what the server used meanwhile. */
export async function measure(
  { server }: Subject,
  run: () => Promise<LoadResult>,
): Promise<Measured> {
  const before = cpuSeconds(server.pid);
  const result = await run();
  const used = cpuSeconds(server.pid) - before;
  if (result.errors.length > 0) throw new Error(`${server.name}: ${result.errors[0]}`);
  return { result, cpuSeconds: used };
}

/** A sentence for each thing that must not happen and did. */
export function faults(name: string, verdict: FullVerdict): readonly string[] {
  const counts = [
    [verdict.lost, 'lost'],
    [verdict.repeated, 'repeated'],
    [verdict.outOfOrder, 'out of order'],
    [verdict.altered, 'altered'],
    [verdict.failures.length, `listeners failed: ${verdict.failures[0] ?? ''}`],
  ] as const;
  return counts.filter(([count]) => count > 0).map(([count, what]) => `${name}: ${count} ${what}`);
}
