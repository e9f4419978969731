import type { RequestHost } from '../domain/request-host.ts';
import * as errors from '../domain/wire/errors.ts';
import type { Dispatch } from '../endpoints/dispatch.ts';
import { answerAsked } from '../gateways/asking.ts';
import type { AskedRequest, Outcome } from '../gateways/frames.ts';
import type { NoteBug } from '../transport/answers/reply.ts';
import { type Answered, type Asked, doSubject, packed, unpacked } from './frames.ts';
import { MESSAGE_BYTES_MAX } from './log/bounds.ts';
import type { Bus } from './log/bus.ts';

interface AnsweringInput {
  readonly bus: Bus;
  readonly shard: number;
  /** Answers here, whoever writes the realm. */
  readonly dispatch: Dispatch;
  readonly noteBug: NoteBug;
  /** Tells whether this node writes the realm of a host. */
  readonly isWritten: (host: RequestHost) => boolean;
  /** Returns the number of the newest record that was applied. */
  readonly sequence: () => number;
}

/** Answers, as the owner of a shard, what other nodes ask. Returns what ends that. */
export function openAnswering(input: AnsweringInput): () => void {
  const { bus, shard, sequence } = input;
  return bus.serve(doSubject(shard), async (body) => {
    const asked = unpacked<Asked>(body);
    if (asked[0] === 'where') return packed(['at', sequence()] satisfies Answered);
    const [, request] = asked;
    if (!input.isWritten(request.host)) return packed(['not the owner'] satisfies Answered);
    const outcome = await done(request, input);
    const answer = packed(['outcome', outcome, sequence()] satisfies Answered);
    if (answer.length <= MESSAGE_BYTES_MAX) return answer;
    return packed(['outcome', TOO_LARGE, sequence()] satisfies Answered);
  });
}

const done = (request: AskedRequest, { dispatch, noteBug }: AnsweringInput): Promise<Outcome> =>
  new Promise((tell) => answerAsked(request, { dispatch, noteBug, tell }));

const { code, message, status, extra } = errors.badRequest(
  'The answer is too large to be handed from one node to another',
);
const TOO_LARGE: Outcome = { is: 'refusal', code, message, status, extra };
