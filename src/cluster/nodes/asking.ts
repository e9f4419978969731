import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { GATEWAY_ASKS_MAX } from '../../domain/limits/requests.ts';
import * as errors from '../../domain/wire/errors.ts';
import { receiveWebhook } from '../../endpoints/external/receive-webhook.ts';
import { sendMessage } from '../../endpoints/messages/send-message.ts';
import type { AskedRequest, Outcome } from '../../forwarding/asked-request.ts';
import type { Ask } from '../../forwarding/forwarding.ts';
import type { Bus } from '../log/bus.ts';
import { NoAnswerError, NobodyServesError } from '../log/errors.ts';
import { type Answered, type Asked, doSubject, packed, unpacked } from './frames.ts';

/** A request is answered for within this time, or refused: nine seconds may elect a leader. */
const REQUEST_MS_MAX = 20_000;
/** An owner that is there answers in milliseconds; one that waits for its log takes so long. */
const ANSWER_MS_MAX = 13_000;
/** An owner that has given its shard away may be about to answer what it did before. */
const LATE_MS_MAX = 1_000;
/** The next owner is there after a second or two, and is looked for so often. */
const AGAIN_MS = 100;
/** A node that lags behind by more has other troubles: the client gets its answer all the same. */
const APPLIED_MS_MAX = 5_000;

/** Endpoints that answer a repeat with the first result, if it has the same key. */
const KEYED: ReadonlySet<unknown> = new Set([sendMessage, receiveWebhook]);

interface AskingInput {
  readonly bus: Bus;
  readonly shardOf: (realmId: number) => number;
  /** Tells whether this node has become the owner of the shard. */
  readonly isOwned: (shard: number) => boolean;
  /** Resolves when the node has applied a record of the shard, or after that time. */
  readonly whenApplied: (shard: number, sequence: number, msMax: number) => Promise<void>;
  /** Calls a function whenever a node claims the shard. Returns what ends that. */
  readonly onClaim: (shard: number, call: () => void) => () => void;
  readonly onBug: (error: unknown) => void;
}

/**
 * Has the owner of a realm answer a request. It is answered here once this node has applied what
 * the owner did: who writes reads what he wrote. If the owner is gone the next one is asked, unless
 * the request may have been done already and a repeat would do it twice.
 */
export function openAsking(input: AskingInput): OwnerAsking {
  let underWay = 0;

  /** Returns false if too much is under way. */
  function ask(question: Question, settle: (outcome: Outcome | 'here') => void): boolean {
    if (underWay >= GATEWAY_ASKS_MAX) return false;
    underWay += 1;
    void answered(input, question)
      .catch((error: unknown) => {
        input.onBug(error);
        return STOPPING;
      })
      .then(settle)
      .finally(() => {
        underWay -= 1;
      });
    return true;
  }

  return {
    request(given, settle, { realm, endpoint, serveHere }) {
      if (realm === undefined) {
        serveHere();
        return true;
      }
      const isKeyed = KEYED.has(endpoint);
      const asked: Asked = ['request', isKeyed ? withKey(given) : given];
      return ask({ shard: input.shardOf(realm.id), asked, isKeyed }, (outcome) =>
        outcome === 'here' ? serveHere() : settle(outcome),
      );
    },
    queue: (realmId, asked, settle) =>
      ask({ shard: input.shardOf(realmId), asked, isKeyed: false }, (outcome) =>
        settle(outcome === 'here' ? STOPPING : outcome),
      ),
  };
}

/** Has owners answer what this node does not write itself. */
export interface OwnerAsking {
  readonly request: Ask;
  /** Asks for something about a queue. Returns false if too much is under way. */
  queue(
    realmId: number,
    asked: Extract<Asked, readonly ['add queue' | 'begin queue', ...unknown[]]>,
    settle: (outcome: Outcome) => void,
  ): boolean;
}

/** A repeat at the next owner must not send a message again. */
const withKey = (asked: AskedRequest): AskedRequest =>
  asked.idempotencyKey === '' ? { ...asked, idempotencyKey: `node:${randomUUID()}` } : asked;

interface Question {
  readonly shard: number;
  readonly asked: Asked;
  /** True if a repeat is answered with the first result. */
  readonly isKeyed: boolean;
}

const refusal = ({ code, message, status, extra }: errors.ApiError): Outcome => ({
  is: 'refusal',
  code,
  message,
  status,
  extra,
});

const STOPPING = refusal(errors.serverStopping());

/** Resolves with `here` if this node is to answer itself. */
async function answered(input: AskingInput, question: Question): Promise<Outcome | 'here'> {
  const { shard, asked, isKeyed } = question;
  const until = performance.now() + REQUEST_MS_MAX;
  const body = packed(asked);
  while (performance.now() < until) {
    if (input.isOwned(shard)) return 'here';
    const msLeft = Math.ceil(until - performance.now());
    const tried = await tryOnce(input, question, { body, msLeft });
    if (tried.is === 'answered') {
      const { outcome, sequence } = tried;
      // An owner that is deposed does not know what became of its last operations.
      if (!isKeyed || !isStopping(outcome)) {
        await input.whenApplied(shard, sequence, APPLIED_MS_MAX);
        return outcome;
      }
    } else if (tried.is === 'unknown' && !isKeyed) return STOPPING;
    await pause(AGAIN_MS);
  }
  return STOPPING;
}

const isStopping = (outcome: Outcome) =>
  outcome.is === 'refusal' && outcome.code === 'SERVER_STOPPING';

type Tried =
  | { readonly is: 'answered'; readonly outcome: Outcome; readonly sequence: number }
  | { readonly is: 'not done' }
  | { readonly is: 'unknown' };

interface Attempt {
  readonly body: Uint8Array;
  /** The milliseconds until the request is refused. */
  readonly msLeft: number;
}

async function tryOnce(
  input: AskingInput,
  question: Question,
  { body, msLeft }: Attempt,
): Promise<Tried> {
  try {
    const timeoutMs = Math.max(1, Math.min(msLeft, ANSWER_MS_MAX));
    const asked = input.bus.ask(doSubject(question.shard), body, timeoutMs);
    const answer = unpacked<Answered>(await beforeNextOwner(input, question, asked));
    if (answer[0] !== 'outcome') return { is: 'not done' };
    return { is: 'answered', outcome: answer[1], sequence: answer[2] };
  } catch (error) {
    return { is: error instanceof NobodyServesError ? 'not done' : 'unknown' };
  }
}

/**
 * Resolves with the answer of an owner. Rejects if another node claims the shard: the owner may
 * have ended, and nothing that it does from then on is stored.
 */
async function beforeNextOwner<Answer>(
  input: AskingInput,
  { shard, isKeyed }: Question,
  asked: Promise<Answer>,
): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined;
  let forget = () => {};
  const claimed = new Promise<never>((_, reject) => {
    const giveUp = () => reject(new NoAnswerError(`Shard ${shard} has another owner`));
    forget = input.onClaim(shard, () => {
      timer ??= setTimeout(giveUp, isKeyed ? 0 : LATE_MS_MAX);
    });
  });
  try {
    return await Promise.race([asked, claimed]);
  } finally {
    clearTimeout(timer);
    forget();
  }
}

/** Asks the owner for its newest record; resolves with undefined if there is none to ask. */
export async function newestOf(
  bus: Bus,
  shard: number,
  msMax: number,
): Promise<number | undefined> {
  try {
    const body = packed(['where'] satisfies Asked);
    const answer = unpacked<Answered>(await bus.ask(doSubject(shard), body, msMax));
    return answer[0] === 'at' ? answer[1] : undefined;
  } catch {
    return undefined;
  }
}

/** Asks the owner whether this node may remove its copy of a shard. */
export async function mayLetGo(
  bus: Bus,
  { shard, node }: { readonly shard: number; readonly node: string },
  msMax: number,
): Promise<boolean> {
  try {
    const body = packed(['let go', node] satisfies Asked);
    const answer = unpacked<Answered>(await bus.ask(doSubject(shard), body, msMax));
    return answer[0] === 'may let go' && answer[1];
  } catch {
    return false;
  }
}
