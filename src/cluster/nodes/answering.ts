import type { Realm } from '../../../actors/realm/realm-handle.ts';
import type { RequestHost } from '../../domain/request-host.ts';
import * as errors from '../../domain/wire/errors.ts';
import type { Dispatch } from '../../endpoints/dispatch.ts';
import { registerQueue } from '../../endpoints/events/register-queue.ts';
import { addQueue, beginQueue } from '../../endpoints/events/registering.ts';
import { answerAsked, refusalOf } from '../../gateways/asking.ts';
import type { AskedRequest, Outcome } from '../../gateways/frames.ts';
import type { NoteBug } from '../../transport/answers/reply.ts';
import { MESSAGE_BYTES_MAX } from '../log/bounds.ts';
import type { Bus } from '../log/bus.ts';
import { type Answered, type Asked, doSubject, packed, unpacked } from './frames.ts';

interface AnsweringInput {
  readonly bus: Bus;
  readonly shard: number;
  /** Answers here, also where another process writes the realm. */
  readonly dispatch: Dispatch;
  readonly noteBug: NoteBug;
  /** Tells whether this node writes the realm of a host. */
  readonly isWritten: (host: RequestHost) => boolean;
  /** Returns the realm if this node writes it, and it is open. */
  readonly realm: (id: number) => Realm | undefined;
  /** Returns the number of the newest record that was applied. */
  readonly sequence: () => number;
  /** Tells whether a node may remove its copy of the shard. */
  readonly mayLetGo: (node: string) => boolean;
}

/** Answers, as the owner of a shard, what other nodes ask. Returns what ends that. */
export function openAnswering(input: AnsweringInput): () => void {
  const { bus, shard, sequence } = input;
  return bus.serve(doSubject(shard), async (body) => {
    const asked = unpacked<Asked>(body);
    if (asked[0] === 'where') return packed(['at', sequence()] satisfies Answered);
    if (asked[0] === 'let go') {
      return packed(['may let go', input.mayLetGo(asked[1])] satisfies Answered);
    }
    const outcome = await outcomeOf(asked, input);
    if (outcome === undefined) return packed(['not the owner'] satisfies Answered);
    const answer = packed(['outcome', outcome, sequence()] satisfies Answered);
    if (answer.length <= MESSAGE_BYTES_MAX) return answer;
    return packed(['outcome', TOO_LARGE, sequence()] satisfies Answered);
  });
}

/** Resolves with undefined if this node does not write the realm. */
async function outcomeOf(
  asked: Exclude<Asked, readonly ['where'] | readonly ['let go', string]>,
  input: AnsweringInput,
): Promise<Outcome | undefined> {
  if (asked[0] === 'request') {
    return input.isWritten(asked[1].host) ? await done(asked[1], input) : undefined;
  }
  const realm = input.realm(asked[1]);
  if (realm === undefined) return undefined;
  const noteBug = (error: unknown) => input.noteBug(error, REGISTERING);
  return await new Promise((tell) => {
    if (asked[0] === 'add queue') {
      addQueue(realm, asked[2], (settled) => {
        if (settled.isDone) tell({ is: 'stored', queue: settled.reply });
        else tell(refusalOf(settled.error, () => noteBug(settled.error)));
      });
    } else {
      beginQueue(realm, { id: asked[2], position: asked[3] }, (settled) => {
        if (settled.isDone) tell({ is: 'begun' });
        else tell(refusalOf(settled.error, () => noteBug(settled.error)));
      });
    }
  });
}

const REGISTERING = { method: registerQueue.method, path: registerQueue.path };

const done = (request: AskedRequest, { dispatch, noteBug }: AnsweringInput): Promise<Outcome> =>
  new Promise((tell) => answerAsked(request, { dispatch, noteBug, tell }));

const { code, message, status, extra } = errors.badRequest(
  'The answer is too large to be handed from one node to another',
);
const TOO_LARGE: Outcome = { is: 'refusal', code, message, status, extra };
