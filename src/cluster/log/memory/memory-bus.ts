import { MESSAGE_BYTES_MAX, requireFitting, requireName } from '../bounds.ts';
import type { Bus } from '../bus.ts';
import { ClusterClosedError, NoAnswerError, NobodyServesError } from '../errors.ts';
import type { BusMessage } from './faults.ts';
import { type MemoryLink, NEVER } from './memory-link.ts';

interface Listener {
  readonly link: MemoryLink;
  readonly onMessage: (body: Uint8Array) => void;
}

interface Server {
  readonly link: MemoryLink;
  readonly answer: (body: Uint8Array) => Promise<Uint8Array>;
}

/** The bus of a cluster in memory: it knows who listens, and who serves. */
export interface SharedBus {
  readonly listeners: Map<string, Set<Listener>>;
  readonly servers: Map<string, Set<Server>>;
}

export const openSharedBus = (): SharedBus => ({ listeners: new Map(), servers: new Map() });

/** Opens the bus as one node sees it. */
export function openMemoryBus(shared: SharedBus, link: MemoryLink): Bus {
  return {
    publish(subject, body) {
      requireMessage(subject, body);
      if (!link.sends()) return;
      for (const listener of shared.listeners.get(subject) ?? []) {
        for (const delayMs of delaysOf(link, { kind: 'message', subject, body })) {
          const copy = Uint8Array.from(body);
          later(link, delayMs, () => {
            const isThere = shared.listeners.get(subject)?.has(listener);
            if (isThere && listener.link.hears()) listener.onMessage(copy);
          });
        }
      }
    },
    subscribe: (subject, onMessage) => add(shared.listeners, subject, { link, onMessage }),
    ask: (subject, body, timeoutMs) => ask(shared, { link, subject, body, timeoutMs }),
    serve: (subject, answer) => add(shared.servers, subject, { link, answer }),
  };
}

interface Question {
  readonly link: MemoryLink;
  readonly subject: string;
  readonly body: Uint8Array;
  readonly timeoutMs: number;
}

async function ask(shared: SharedBus, question: Question): Promise<Uint8Array> {
  const { link, subject, body, timeoutMs } = question;
  requireMessage(subject, body);
  if (link.isClosed()) throw new ClusterClosedError('The node was closed');
  const server = serverOf(shared, subject);
  if (server === undefined && link.sends() && link.hears()) {
    throw new NobodyServesError(`No node serves ${subject}`);
  }
  const answer = await link.within(timeoutMs, answered(question, server));
  if (answer !== undefined) return answer;
  throw new NoAnswerError(`Nobody answered ${subject} within ${timeoutMs} ms`);
}

/** Resolves with the answer, and never if the request or the answer is lost. */
async function answered(
  { link, subject, body }: Question,
  server: Server | undefined,
): Promise<Uint8Array> {
  if (server === undefined || !link.sends()) return NEVER;
  if (!(await arrives(link, { kind: 'request', subject, body }))) return NEVER;
  if (!server.link.hears()) return NEVER;
  let answer: Uint8Array;
  try {
    answer = Uint8Array.from(await server.answer(Uint8Array.from(body)));
  } catch {
    // The one who asks must not take it for a sign that nothing has happened.
    throw new NoAnswerError(`The node that serves ${subject} failed`);
  }
  if (!server.link.sends()) return NEVER;
  if (!(await arrives(server.link, { kind: 'answer', subject, body: answer }))) return NEVER;
  return link.hears() ? answer : NEVER;
}

/** Takes those that serve a subject by turns. */
function serverOf(shared: SharedBus, subject: string): Server | undefined {
  const servers = shared.servers.get(subject);
  for (const server of servers ?? []) {
    if (server.link.isClosed()) continue;
    servers?.delete(server);
    servers?.add(server);
    return server;
  }
  return undefined;
}

async function arrives(link: MemoryLink, message: BusMessage): Promise<boolean> {
  const [delayMs] = delaysOf(link, message);
  if (delayMs === undefined) return false;
  await new Promise<void>((resolve) => later(link, delayMs, resolve));
  return true;
}

const delaysOf = (link: MemoryLink, message: BusMessage) =>
  link.faults.onMessage?.(message) ?? AT_ONCE;

const AT_ONCE = [0];

/** Messages without a delay arrive in the order in which they were sent. */
function later(link: MemoryLink, delayMs: number, work: () => void): void {
  if (delayMs === 0) queueMicrotask(work);
  else link.clock.setTimeout(work, delayMs);
}

function add<Value>(all: Map<string, Set<Value>>, subject: string, value: Value): () => void {
  requireName(subject);
  const values = all.get(subject) ?? new Set();
  all.set(subject, values.add(value));
  return () => {
    values.delete(value);
    if (values.size === 0 && all.get(subject) === values) all.delete(subject);
  };
}

function requireMessage(subject: string, body: Uint8Array): void {
  requireName(subject);
  requireFitting(body, MESSAGE_BYTES_MAX);
}
