import { randomUUID } from 'node:crypto';
import { request as ask, type ClientRequest, type IncomingMessage } from 'node:http';
import { type ApiError, badRequest, serverStopping } from '../../domain/wire/errors.ts';
import { writeRefusal } from '../../gateways/relay.ts';
import type { HttpResponse } from '../../transport/library/sockets.ts';
import type { PassedRequest } from '../../transport/passing.ts';
import { API_PREFIX } from '../../transport/requests/api.ts';
import type { HolderLinks, HolderPlace } from './holder-links.ts';
import { type Client, shortAnswer, writeLong, writeShort } from './passed-answer.ts';
import { passedHeaders } from './passed-headers.ts';
import { type PassedBody, readPassedBody } from './request-bodies.ts';

/** A request is passed on to so many nodes, one after the other. */
const ATTEMPTS_MAX = 2;
const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);
const SEND_PATH = `${API_PREFIX}/messages`;
const KEY = 'idempotency-key';

export interface PassInput {
  readonly links: HolderLinks;
  readonly secret: string;
  readonly isTls: boolean;
}

/** A request on its way. */
interface Passed {
  readonly input: PassInput;
  readonly request: PassedRequest;
  readonly shard: number;
  readonly headers: Record<string, string | string[]>;
  readonly client: Client;
  readonly body: PassedBody;
  /** The nodes that were asked already. */
  readonly asked: Set<string>;
  current: ClientRequest | null;
}

/**
 * Passes a request on to a node that has a copy of the shard, and its answer back. If that node
 * ends before it answers, another one is asked, once, unless the request may have been done and a
 * repeat would do it twice: then the client is told to come back.
 */
export function passRequest(
  res: HttpResponse,
  request: PassedRequest,
  { input, shard }: { readonly input: PassInput; readonly shard: number },
): void {
  const { head } = request;
  let isOpen = true;
  const client: Client = {
    res,
    isHead: head.method === 'HEAD',
    isOpen: () => isOpen,
    settle() {
      isOpen = false;
    },
  };
  const headers = passedHeaders(request, input);
  // A repeat at the next node must not send a message again.
  const isSend = head.method === 'POST' && head.url === SEND_PATH;
  if (isSend) headers[KEY] ??= `node:${randomUUID()}`;
  if (head.headers.contentLength !== null) headers['content-length'] = head.headers.contentLength;
  const body = readPassedBody(res, head, { isOpen: client.isOpen, ready: () => begin(passed) });
  const asked = new Set<string>();
  const passed: Passed = { input, request, shard, headers, client, body, asked, current: null };
  res.onAborted(() => {
    isOpen = false;
    passed.current?.destroy();
  });
}

/** Asks the next node. */
function begin(passed: Passed) {
  const { input, shard, asked, client } = passed;
  if (!client.isOpen()) return;
  const holder = input.links.holderOf(shard, asked);
  if (holder === undefined) return refuse(client, serverStopping());
  asked.add(holder.node);
  const sent = requestTo(holder, passed);
  if (sent === null) {
    return refuse(client, badRequest('The request has a header that is not valid'));
  }
  passed.current = sent;
  const unwatch = input.links.watch(holder.node, () => void sent.destroy(new Error('it is gone')));
  sent.on('close', unwatch);
  let isAnswered = false;
  sent.on('response', (answer) => {
    isAnswered = true;
    void handOver(passed, answer);
  });
  sent.on('error', (error: NodeJS.ErrnoException) => {
    if (!isAnswered) goOn(passed, error.code === 'ECONNREFUSED');
  });
  passed.body.sendTo(sent);
}

function requestTo({ host, port }: HolderPlace, passed: Passed): ClientRequest | null {
  const { input, request, headers } = passed;
  const { method, url, query } = request.head;
  const path = query === '' ? url : `${url}?${query}`;
  try {
    return ask({ agent: input.links.agent, host, port, method, path, headers });
  } catch {
    return null;
  }
}

/** Tells whether another node may be asked; `isUntouched` if the first has got nothing. */
function mayRepeat({ request, headers, body, asked }: Passed, isUntouched = false): boolean {
  if (asked.size >= ATTEMPTS_MAX || !body.isHeld()) return false;
  return isUntouched || SAFE_METHODS.has(request.head.method) || headers[KEY] !== undefined;
}

async function handOver(passed: Passed, answer: IncomingMessage) {
  const { client, input, shard, asked } = passed;
  let body: Buffer | undefined;
  try {
    body = await shortAnswer(answer);
  } catch {
    return goOn(passed);
  }
  if (!client.isOpen()) return;
  if (body === undefined) return await writeLong(client, answer).catch(() => breakOff(client));
  const isClosed = answer.statusCode === 503 && body.includes('"SERVER_STOPPING"');
  const hasAnother = isClosed && input.links.holderOf(shard, asked) !== undefined;
  if (hasAnother && mayRepeat(passed)) begin(passed);
  else writeShort(client, answer, body);
}

/** Asks another node, as this one has ended; or tells the client to come back. */
function goOn(passed: Passed, isUntouched = false) {
  const { client } = passed;
  if (!client.isOpen()) return;
  if (mayRepeat(passed, isUntouched)) begin(passed);
  else refuse(client, serverStopping());
}

/** The other node has ended within its answer, of which the client may have a part. */
function breakOff(client: Client) {
  if (!client.isOpen()) return;
  client.settle();
  client.res.close();
}

function refuse(client: Client, error: ApiError) {
  if (!client.isOpen()) return;
  client.settle();
  client.res.cork(() => writeRefusal(client.res, error));
}
