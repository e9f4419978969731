import type { StreamInfo } from '@nats-io/jetstream';
import { type ConnectionOptions, connect, type NatsConnection } from '@nats-io/transport-node';
import { isHeard } from './looks.ts';
import type { Link } from './nats-connection.ts';

/** How often it is looked whether the server still reaches most of the others. */
const LOOK_MS = 1_000;
const ANSWER_MS = 1_500;
/** A server that was cut off for so long is left, if another one is better. */
const CUT_OFF_MS = 3_000;
/** How long a connection to another server takes at most; there may be several that are away. */
const AGAIN_MS = 10_000;

interface ChoiceInput {
  readonly link: Link;
  /** The options of the connection, with the addresses of all servers. */
  readonly options: ConnectionOptions;
  /** The stream whose servers the node needs: that of the shared values. */
  readonly stream: string;
}

/**
 * Leaves a server that takes connections but does not reach most of the others: nothing is stored
 * by way of it. The node stays where it is unless another server is found to be better, as all of
 * them may be waiting for a leader. Returns what ends this.
 */
export function openServerChoice(input: ChoiceInput): () => void {
  const { link, stream } = input;
  let cutOffSince: number | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isEnded = false;

  async function look() {
    const since = performance.now();
    if (!link.isConnected() || (await isWhole(link.connection, stream))) {
      cutOffSince = undefined;
      return;
    }
    cutOffSince ??= since;
    if (performance.now() - cutOffSince < CUT_OFF_MS) return;
    const better = await betterOnes(input);
    if (isEnded || better.size === 0) return;
    const name = link.connection.info?.server_name ?? link.connection.getServer();
    link.notice(`The NATS server ${name} is cut off from the others: the node leaves it.`);
    await leaveFor(input, better);
    cutOffSince = undefined;
  }

  function begin() {
    if (isEnded) return;
    timer = setTimeout(() => void look().catch(ignored).finally(begin), LOOK_MS).unref();
  }
  begin();
  return () => {
    isEnded = true;
    clearTimeout(timer);
  };
}

/** The connection may close at any time. */
const ignored = () => undefined;

/** Tells whether a leader of the stream answers by way of a server, and heard from most others. */
async function isWhole(connection: NatsConnection, stream: string): Promise<boolean> {
  try {
    const subject = `$JS.API.STREAM.INFO.${stream}`;
    const answer = await connection.request(subject, undefined, { timeout: ANSWER_MS });
    const info = answer.json<StreamInfo & { readonly error?: unknown }>();
    return info.error === undefined && isHeard(info);
  } catch {
    return false;
  }
}

/** Returns the ids of the other servers by way of which the stream is whole. */
async function betterOnes({ link, options, stream }: ChoiceInput): Promise<ReadonlySet<string>> {
  const present = link.connection.info?.server_id;
  const better = new Set<string>();
  await Promise.all(
    [options.servers ?? []].flat().map(async (server) => {
      const once = { ...options, servers: server, reconnect: false, ignoreClusterUpdates: true };
      const connection = await connect(once).catch(() => undefined);
      const id = connection?.info?.server_id;
      if (connection === undefined) return;
      if (id !== undefined && id !== present && (await isWhole(connection, stream))) better.add(id);
      await connection.close().catch(ignored);
    }),
  );
  return better;
}

/** The client takes one server after the other, and may begin with the one that it is to leave. */
async function leaveFor({ link, options }: ChoiceInput, better: ReadonlySet<string>) {
  const attempts = 2 * [options.servers ?? []].flat().length;
  for (let attempt = 0; attempt < attempts; attempt++) {
    const back = connectedAgain(link);
    await link.connection.reconnect();
    await back;
    if (better.has(link.connection.info?.server_id ?? '')) return;
  }
}

/** Resolves when a connection was lost and is back, or after some seconds. */
function connectedAgain(link: Link): Promise<void> {
  return new Promise((resolve) => {
    let isLost = false;
    const end = () => {
      clearTimeout(timer);
      unwatch();
      resolve();
    };
    const timer = setTimeout(end, AGAIN_MS);
    const unwatch = link.watch(() => {
      if (!link.isConnected()) isLost = true;
      else if (isLost) end();
    });
  });
}
