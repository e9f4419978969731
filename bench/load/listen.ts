import { pack, unpack } from 'msgpackr';
import { basicAuthorization, type Credentials, call, requestText } from './api.ts';
import type { DeliveryLog, Listener } from './delivery-log.ts';
import { type HttpPool, openHttp, openPool } from './http.ts';
import type { KnownEventsCache } from './known-events.ts';
import type { Address } from './stream.ts';
import { openWebSocket, type WebSocketClient } from './web-socket.ts';

/** `detached` registers a queue and leaves it alone. */
export type Transport = 'socket' | 'poll' | 'detached';

/** The form in which a queue gets its messages. */
export type Form = 'raw' | 'html' | 'html without gravatars';

export type Encoding = 'json' | 'msgpack';

export interface ListenerPlan extends Credentials {
  readonly user_id: number;
  readonly transport: Transport;
  /** Raw, unless it is said. */
  readonly form?: Form;
  /** The encoding of a socket; JSON by default. */
  readonly encoding?: Encoding;
  /** True for listeners that a message may mention together. */
  readonly isMarked?: boolean;
  /** A socket stops reading again and again, for up to so long. */
  readonly pausesMs?: number;
  /** The channels of the listener; by default all that are written to. */
  readonly channels?: readonly string[];
}

export interface Listening {
  /** Connections that were lost and opened again. */
  readonly reconnectCount: () => number;
  /** Sockets that the server has greeted and not closed since. */
  readonly attachedCount: () => number;
  /** The reasons that ended listeners for good. */
  readonly failures: readonly string[];
  readonly close: () => void;
  /** Closes and deletes the queues: nothing more is kept for them. */
  readonly leave: () => Promise<void>;
}

interface ListenSetting {
  readonly address: Address;
  readonly deliveryLog: DeliveryLog;
  readonly cache: KnownEventsCache;
  readonly failures: string[];
  reconnectCount: number;
  attachedCount: number;
  isClosing: boolean;
}

// Nothing but messages, and no snapshot, so that the cost is that of delivery.
const REGISTER_PARAMS = {
  event_types: '["message"]',
  fetch_event_types: '[]',
  client_capabilities: '{"notification_settings_null":true,"empty_topic_name":true}',
};

const FORM_PARAMS: Readonly<Record<Form, Readonly<Record<string, string>>>> = {
  // Can be compared with what was sent.
  raw: { apply_markdown: 'false' },
  html: { apply_markdown: 'true', client_gravatar: 'false' },
  'html without gravatars': { apply_markdown: 'true', client_gravatar: 'true' },
};

// Enough to keep a server busy, few enough not to stand in each other's way.
const REQUESTS_IN_FLIGHT = 16;

// An acknowledgement lets the server forget; one for each event would cost it as much as a send.
const ACKNOWLEDGE_EVERY = 200;

const RECONNECT_DELAY_MS = 100;
// Attempts of all listeners together: ten thousand of them, each ten times a second, would leave a
// server that is starting no core to start on.
const RECONNECTS_PER_SECOND_MAX = 10_000;

/** Registers all queues, attaches them, and answers once every one of them is attached. */
export async function listen(
  address: Address,
  deliveryLog: DeliveryLog,
  cache: KnownEventsCache,
  plans: readonly ListenerPlan[],
): Promise<Listening> {
  const setting: ListenSetting = {
    address,
    deliveryLog,
    cache,
    failures: [],
    reconnectCount: 0,
    attachedCount: 0,
    isClosing: false,
  };
  const queues: Registered[] = [];
  const pool = openPool(address, REQUESTS_IN_FLIGHT);
  const closers = await Promise.all(plans.map((plan) => start(setting, { pool, queues, plan })));
  pool.close();
  const close = () => {
    setting.isClosing = true;
    for (const closeOne of closers) closeOne();
  };
  return {
    reconnectCount: () => setting.reconnectCount,
    attachedCount: () => setting.attachedCount,
    failures: setting.failures,
    close,
    leave: async () => {
      close();
      const leaving = openPool(address, REQUESTS_IN_FLIGHT);
      await Promise.all(queues.map((queue) => deleteQueue(address, leaving, queue)));
      leaving.close();
    },
  };
}

interface Registered {
  readonly id: string;
  readonly authorization: string;
}

interface Starting {
  readonly pool: HttpPool;
  /** Gets the one that is registered. */
  readonly queues: Registered[];
  readonly plan: ListenerPlan;
}

async function start(
  setting: ListenSetting,
  { pool, queues, plan }: Starting,
): Promise<() => void> {
  const authorization = basicAuthorization(plan);
  const { queueId, lastEventId } = await register(setting.address, pool, {
    authorization,
    form: plan.form ?? 'raw',
  });
  queues.push({ id: queueId, authorization });
  if (plan.transport === 'detached') return () => {};
  const queue: Queue = {
    id: queueId,
    idBytes: plan.transport === 'poll' ? Buffer.from(queueId) : Buffer.alloc(0),
    authorization,
    encoding: plan.encoding ?? 'json',
    pausesMs: plan.pausesMs ?? 0,
    listener: setting.deliveryLog.addListener({
      userId: plan.user_id,
      lastEventId,
      isMarked: plan.isMarked ?? false,
      channels: plan.channels,
    }),
  };
  return plan.transport === 'poll' ? pollQueue(setting, queue) : await openQueue(setting, queue);
}

interface Registration {
  readonly queueId: string;
  readonly lastEventId: number;
}

async function register(
  address: Address,
  pool: HttpPool,
  { authorization, form }: { readonly authorization: string; readonly form: Form },
): Promise<Registration> {
  const params = { ...REGISTER_PARAMS, ...FORM_PARAMS[form] };
  const request = { method: 'POST', path: '/register', authorization, params } as const;
  const { queue_id, last_event_id } = await call(pool, address, request);
  if (typeof queue_id !== 'string') throw new Error('POST /register: no queue');
  return { queueId: queue_id, lastEventId: Number(last_event_id) };
}

const deleteQueue = (address: Address, pool: HttpPool, { id, authorization }: Registered) =>
  call(pool, address, { method: 'DELETE', path: `/events?queue_id=${id}`, authorization });

interface Queue {
  readonly id: string;
  /** The queue's id, which differs in otherwise equal bodies of polls; empty for sockets. */
  readonly idBytes: Buffer;
  readonly authorization: string;
  readonly encoding: Encoding;
  readonly pausesMs: number;
  readonly listener: Listener;
}

/** Polls until it is closed, each poll acknowledging what the one before brought. */
function pollQueue(setting: ListenSetting, queue: Queue): () => void {
  const { address, deliveryLog, cache } = setting;
  const { listener, authorization } = queue;
  const connection = openHttp(address);
  // A thousand listeners ask the same again and again: only the position is put in.
  const path = `/events?queue_id=${queue.id}&last_event_id=`;
  const request = requestText(address, { method: 'GET', path: `${path}?`, authorization });
  const [before = '', behind = ''] = request.split(`${path}?`);

  const poll = () => {
    if (setting.isClosing) return;
    connection.send(`${before}${path}${listener.lastEventId}${behind}`, (reply) => {
      if (setting.isClosing) return;
      if (reply === undefined || reply.status >= 429) {
        setting.reconnectCount += 1;
        return void setTimeout(poll, reconnectDelayMs(setting));
      }
      if (reply.status !== 200) {
        return void setting.failures.push(
          `poll: ${reply.bytes.toString('utf8', reply.start, reply.end)}`,
        );
      }
      const known = cache.read(reply, queue.idBytes, listener.lastKnown + 1);
      if (known !== undefined) deliveryLog.take(listener, known, performance.now());
      poll();
    });
  };
  poll();
  return connection.close;
}

/** Holds a socket open until it is closed, attaching again from the last event it got. */
function openQueue(setting: ListenSetting, queue: Queue): Promise<() => void> {
  let client: WebSocketClient | undefined;
  return new Promise((resolve) => {
    const attached = () => resolve(() => client?.close());
    const attach = () => {
      if (setting.isClosing) return;
      client = attachQueue(setting, queue, { attached, attach });
    };
    attach();
  });
}

interface Attachment {
  readonly attached: () => void;
  /** Opens the next socket. */
  readonly attach: () => void;
}

function attachQueue(
  setting: ListenSetting,
  queue: Queue,
  { attached, attach }: Attachment,
): WebSocketClient {
  const { address, deliveryLog, cache, failures } = setting;
  const { listener } = queue;
  let acknowledgedCount = listener.deliveryCount;
  let isRefused = false;
  let isAttached = false;

  const isMsgpack = queue.encoding === 'msgpack';
  const other = (bytes: Buffer) => {
    const frame = (isMsgpack ? unpack(bytes) : JSON.parse(bytes.toString())) as {
      type?: string;
      resumed?: boolean;
    };
    if (frame.type === 'hello' && frame.resumed !== false) {
      isAttached = true;
      setting.attachedCount += 1;
      return attached();
    }
    if (frame.type === 'pong') return;
    isRefused = true;
    failures.push(`socket: ${JSON.stringify(frame)}`);
    attached();
  };
  const client = openWebSocket(
    {
      address,
      path: `/api/v1/events/socket?queue_id=${queue.id}&last_event_id=${listener.lastEventId}`,
      authorization: queue.authorization,
      subprotocol: `chat.v1.${queue.encoding}`,
    },
    {
      open: () => {},
      message: (bytes, start, end) => {
        const known = cache.read(
          { bytes, start, end, isMsgpack },
          queue.idBytes,
          listener.lastKnown + 1,
        );
        if (known === undefined) return other(Buffer.from(bytes.subarray(start, end)));
        deliveryLog.take(listener, known, performance.now());
        if (listener.deliveryCount - acknowledgedCount < ACKNOWLEDGE_EVERY) return;
        acknowledgedCount = listener.deliveryCount;
        const acknowledgement = { type: 'ack', last_event_id: listener.lastEventId };
        if (isMsgpack) client.sendBinary(pack(acknowledgement));
        else client.send(JSON.stringify(acknowledgement));
      },
      closed: (code, reason) => {
        stopPausing();
        if (isAttached) setting.attachedCount -= 1;
        if (setting.isClosing || isRefused) return;
        if (isFinal(code) || reason.startsWith('not upgraded: HTTP/1.1 4')) {
          failures.push(`socket closed with ${code} ${reason}`);
          return attached();
        }
        setting.reconnectCount += 1;
        setTimeout(attach, retryAfterMsIn(reason) ?? reconnectDelayMs(setting));
      },
    },
  );
  const stopPausing = queue.pausesMs === 0 ? () => {} : pauseAgainAndAgain(client, queue.pausesMs);
  return client;
}

/** Reads for a while and pauses for a while, by turns. */
function pauseAgainAndAgain(client: WebSocketClient, longestMs: number): () => void {
  let isPaused = false;
  const turn = () => {
    if (isPaused) client.resume();
    else client.pause();
    isPaused = !isPaused;
    timer = setTimeout(turn, Math.random() * longestMs);
  };
  let timer = setTimeout(turn, Math.random() * longestMs);
  return () => clearTimeout(timer);
}

/** Close codes after which coming back with the same queue is of no use. */
function isFinal(code: number): boolean {
  return code === 4001 || code === 4002 || code === 4003 || code === 4009;
}

/** A server that stops says to each when to come back. */
function retryAfterMsIn(reason: string): number | undefined {
  const milliseconds = /^\{"retry_after_ms":(\d+)\}$/.exec(reason)?.[1];
  return milliseconds === undefined ? undefined : Number(milliseconds);
}

function reconnectDelayMs({ deliveryLog }: ListenSetting): number {
  const spreadMs = (deliveryLog.listeners.length * 1000) / RECONNECTS_PER_SECOND_MAX;
  return jittered(Math.max(RECONNECT_DELAY_MS, spreadMs));
}

/** Spread, so that a thousand listeners do not come back in the same millisecond. */
function jittered(milliseconds: number): number {
  return milliseconds * (0.5 + Math.random());
}
