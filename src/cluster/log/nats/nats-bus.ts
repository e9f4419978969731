import { headers, type Msg, RequestError } from '@nats-io/transport-node';
import { MESSAGE_BYTES_MAX, requireFitting, requireName } from '../bounds.ts';
import type { Bus } from '../bus.ts';
import { ClusterClosedError, NoAnswerError, NobodyServesError } from '../errors.ts';
import type { Link } from './nats-connection.ts';

/** All subjects of the bus begin so, and one permission names them all. */
const PREFIX = 'confab.bus.';
/** The nodes that serve a subject take its requests by turns. */
const QUEUE = 'confab';
/** Says in place of an answer why there is none. */
const NO_ANSWER = 'Confab-No-Answer';
/** Requests of one subject that a node answers at once. */
const ANSWERING_MAX = 2_000;

export function openNatsBus(link: Link): Bus {
  const { connection } = link;
  return {
    publish(subject, body) {
      requireMessage(subject, body);
      // The client would keep a message without a connection, and send it long afterwards.
      if (link.isConnected()) connection.publish(PREFIX + subject, body);
    },
    subscribe(subject, onMessage) {
      requireName(subject);
      const subscription = connection.subscribe(PREFIX + subject, {
        callback(error, message) {
          if (error !== null) return;
          try {
            onMessage(message.data);
          } catch (failure) {
            link.notice(`A message to ${subject} was not taken: ${String(failure)}`);
          }
        },
      });
      return () => subscription.unsubscribe();
    },
    ask: (subject, body, timeoutMs) => ask(link, subject, { body, timeoutMs }),
    serve(subject, answer) {
      requireName(subject);
      let answering = 0;
      const subscription = connection.subscribe(PREFIX + subject, {
        queue: QUEUE,
        callback(error, message) {
          if (error !== null) return;
          if (answering >= ANSWERING_MAX) {
            refuse(message, 'busy');
            return;
          }
          answering += 1;
          (async () => answer(message.data))()
            .then(
              (body) => respond(link, message, body),
              () => refuse(message, 'failed'),
            )
            .finally(() => {
              answering -= 1;
            });
        },
      });
      return () => subscription.unsubscribe();
    },
  };
}

interface Question {
  readonly body: Uint8Array;
  readonly timeoutMs: number;
}

async function ask(link: Link, subject: string, { body, timeoutMs }: Question) {
  requireMessage(subject, body);
  if (link.connection.isClosed()) throw new ClusterClosedError('The connection was closed');
  if (!link.isConnected()) throw new NobodyServesError('No NATS server is reached');
  let answer: Msg;
  try {
    answer = await link.connection.request(PREFIX + subject, body, { timeout: timeoutMs });
  } catch (error) {
    if (error instanceof RequestError && error.isNoResponders()) {
      throw new NobodyServesError(`No node serves ${subject}`, { cause: error });
    }
    throw new NoAnswerError(`Nobody answered ${subject} within ${timeoutMs} ms`, { cause: error });
  }
  const why = answer.headers?.get(NO_ANSWER) ?? '';
  if (why === 'busy') throw new NobodyServesError(`The node that serves ${subject} is busy`);
  if (why !== '') throw new NoAnswerError(`The node that serves ${subject} failed`);
  return answer.data;
}

function respond(link: Link, message: Msg, body: Uint8Array): void {
  if (body.length > MESSAGE_BYTES_MAX) refuse(message, 'failed');
  else if (link.isConnected()) message.respond(body);
}

function refuse(message: Msg, why: 'busy' | 'failed'): void {
  const named = headers();
  named.set(NO_ANSWER, why);
  message.respond(undefined, { headers: named });
}

function requireMessage(subject: string, body: Uint8Array): void {
  requireName(subject);
  requireFitting(body, MESSAGE_BYTES_MAX);
}
