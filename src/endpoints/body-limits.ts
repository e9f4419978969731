import type { AskedHost } from '../domain/asked-host.ts';
import {
  ANONYMOUS_BODY_BYTES_MAX,
  BODY_BYTES_MAX,
  FORM_BODY_BYTES_MAX,
  PAYLOAD_BYTES_MAX,
} from '../domain/limits.ts';
import { ApiError } from '../domain/wire/errors.ts';
import { type Deployment, judged } from './dispatch.ts';
import type { Endpoint } from './endpoint.ts';
import type { Routes } from './routes.ts';

/** A request of which nothing has been read but its head. */
export interface Announced {
  readonly method: string;
  /** Below `/api/v1`, as sent. */
  readonly path: string;
  readonly host: AskedHost;
  readonly authorization: string;
  /** What the body is said to be. */
  readonly kind: 'multipart' | 'form' | 'text';
  /** The parameters in the URL. */
  readonly query: () => Readonly<Record<string, string>>;
}

/** So many bytes may a body have; throws where whoever sends it would be refused whatever it says. */
export type BodyLimit = (announced: Announced) => number;

/**
 * What a body may hold, before any of it is read: a stranger's is small, only files make one large, and wrong credentials are
 * told at once.
 */
export function openBodyLimits(deployment: Deployment, routes: Routes): BodyLimit {
  return (announced) => {
    let bytesMax = 0;
    let refusal: unknown;
    for (const endpoint of meant(routes, announced)) {
      try {
        bytesMax = Math.max(bytesMax, limitOf(endpoint, announced, deployment));
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        refusal ??= error;
      }
    }
    if (bytesMax === 0 && refusal !== undefined) throw refusal;
    // Where nobody is asked for, whoever looks for the endpoint says so.
    return bytesMax || ANONYMOUS_BODY_BYTES_MAX;
  };
}

/** A field of the body may replace the method of a POST, so that every endpoint of the path may be meant. */
function meant(routes: Routes, { method, path }: Announced): readonly Endpoint[] {
  const matched = routes.find(path);
  if (matched === undefined) return [];
  const named = matched.byMethod.get(method);
  if (method !== 'POST') return named === undefined ? [] : [named.endpoint];
  const others = [...matched.byMethod.values()].filter((route) => route !== named);
  return [...(named === undefined ? [] : [named]), ...others].map(({ endpoint }) => endpoint);
}

function limitOf(endpoint: Endpoint, announced: Announced, deployment: Deployment): number {
  if ('document' in endpoint || 'visit' in endpoint) return ANONYMOUS_BODY_BYTES_MAX;
  const { host, authorization, kind, query } = announced;
  const raw = endpoint.byUrlKey ? query() : {};
  if (endpoint.byUrlKey && raw['api_key'] === undefined) return ANONYMOUS_BODY_BYTES_MAX;
  judged(endpoint, { authorization, raw }, deployment.at(host));
  // A form may have each byte of a payload percent-encoded.
  if (endpoint.byUrlKey) return (kind === 'form' ? 3 : 1) * PAYLOAD_BYTES_MAX;
  if (endpoint.spectators && authorization === '') return ANONYMOUS_BODY_BYTES_MAX;
  const isLarge = endpoint.takesMuch || (endpoint.takesFile && kind === 'multipart');
  return isLarge ? BODY_BYTES_MAX : FORM_BODY_BYTES_MAX;
}
