import { addressOf } from './server-address.ts';

/** Tells whether a server syncs each record before it confirms it, as far as can be seen. */
export type Syncing = 'always' | 'later' | 'unknown';

/** NATS shows its settings only there; its clients are not told of them. */
const MONITOR_PORT = 8222;
const ANSWER_MS = 1_500;
const ANSWER_BYTES_MAX = 1_048_576;

/**
 * Returns how each server syncs, by the pages of their monitoring ports: those that are given, or
 * the usual one of each server.
 */
export async function syncingOf(
  servers: readonly string[],
  monitors: readonly string[] = servers.map(monitorOf),
): Promise<ReadonlyMap<string, Syncing>> {
  const found = await Promise.all(
    monitors.map(async (url): Promise<[string, Syncing]> => [url, await read(url)]),
  );
  return new Map(found);
}

const monitorOf = (server: string) => `http://${addressOf(server).hostInUrl}:${MONITOR_PORT}`;

async function read(url: string): Promise<Syncing> {
  try {
    const answer = await fetch(`${url}/varz`, {
      signal: AbortSignal.timeout(ANSWER_MS),
      redirect: 'error',
    });
    const { jetstream } = JSON.parse(await textOf(answer)) as Varz;
    const isAlways = jetstream?.config?.sync_always;
    if (jetstream?.config?.sync_interval === undefined && isAlways === undefined) return 'unknown';
    return isAlways === true ? 'always' : 'later';
  } catch {
    // It does not listen there, or is no NATS server.
    return 'unknown';
  }
}

/** The fields of the page that are read here; all may be missing. */
interface Varz {
  readonly jetstream?: {
    readonly config?: { readonly sync_always?: unknown; readonly sync_interval?: unknown };
  };
}

async function textOf({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > ANSWER_BYTES_MAX) throw new RangeError('The page is too long.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
