import { PAYLOAD_BYTES_MAX } from '../domain/limits/bots.ts';
import {
  ANONYMOUS_BODY_BYTES_MAX,
  BODY_BYTES_MAX,
  FORM_BODY_BYTES_MAX,
} from '../domain/limits/requests.ts';
import type { RequestHost } from '../domain/request-host.ts';
import { ApiError } from '../domain/wire/errors.ts';
import type { Deployment } from './dispatch/deployment.ts';
import { judged } from './dispatch/judging.ts';
import type { Endpoint } from './endpoint.ts';
import type { Routes } from './routes.ts';

/** The head of a request, before its body is read. */
export interface Announced {
  readonly method: string;
  /** Below `/api/v1`, as sent. */
  readonly path: string;
  readonly host: RequestHost;
  readonly authorization: string;
  /** The kind of the body, by its media type. */
  readonly kind: 'multipart' | 'form' | 'text';
  /** The parameters in the URL. */
  readonly query: () => Readonly<Record<string, string>>;
}

/** Returns how many bytes a body may have; throws if the request would be refused with any body. */
export type BodyLimit = (announced: Announced) => number;

/**
 * Decides how large a body may be before any of it is read: small without credentials, large only
 * with files. Invalid credentials are refused at once.
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
    // No endpoint needs credentials, or none has the path, which the dispatch refuses.
    return bytesMax || ANONYMOUS_BODY_BYTES_MAX;
  };
}

/**
 * Returns the endpoints that the request may mean: a field of the body may replace the method of a
 * POST, so then it is every endpoint of the path.
 */
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
