import { randomUUID } from 'node:crypto';
import type { Realm } from '../../actors/realm/realm-handle.ts';
import { withoutSecrets } from '../domain/rules/texts/hidden-words.ts';
import { type DescribedError, describedError } from '../domain/wire/described-error.ts';
import { accountOfUrlKey, isOfSession } from '../operations/access/authentication.ts';
import type { Site } from '../operations/access/caller.ts';
import * as realms from '../operations/access/realms.ts';
import { accountOfHeader } from './authenticate.ts';
import type { Deployment } from './dispatch/deployment.ts';
import type { ApiRequest } from './dispatch/request.ts';
import type { Routes } from './routes.ts';

/** A request that met a bug, as far as its transport has read it. */
export interface Faulty extends Partial<ApiRequest> {
  readonly method: string;
  readonly path: string;
  /** Returns other texts of the request. */
  readonly said?: () => readonly string[];
}

/**
 * The fields of a bug in the log. Readers of a log must learn neither credentials nor what people
 * write.
 */
export interface BugReport {
  readonly err: DescribedError;
  /** The id of the request, or one that is made for its answer, which contains it too. */
  readonly requestId: string;
  /** The trace that the caller says it is of. */
  readonly traceId: string | undefined;
  /** The path as declared: the real one may contain the key of an invitation. */
  readonly endpoint: string;
  readonly realm: string | undefined;
  readonly userId: number | undefined;
}

interface ReportsInput {
  readonly deployment: Deployment;
  readonly routes: Routes;
  /** The beginning of API paths, for transports that do not remove it. */
  readonly prefix: string;
}

/**
 * Makes the function that describes a bug for the log. All lookups happen for bugs only, so other
 * requests pay nothing.
 */
export function openBugReports({ deployment, routes, prefix }: ReportsInput) {
  return (error: unknown, request: Faulty): BugReport => {
    const { realm, site } = deployment.at(request.host ?? '');
    const secrets = secretsOf(request);
    return {
      err: describedError(error, (text) => withoutSecrets(text, secrets)),
      requestId: request.trace?.requestId ?? randomUUID(),
      traceId: request.trace?.context?.traceId,
      endpoint: `${request.method} ${endpointOf(routes, request, prefix)}`,
      realm: orNothing(() => realm && realms.namesOf(realm.reader)[0]),
      userId: orNothing(() => accountOf(realm, request, site)),
    };
  };
}

export type ReportBug = ReturnType<typeof openBugReports>;

function endpointOf(routes: Routes, { path, raw, method }: Faulty, prefix: string): string {
  const isOfApi = raw !== undefined || path.startsWith(`${prefix}/`);
  const below = path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : path;
  if (isOfApi) {
    const matched = orNothing(() => routes.find(below));
    const overridden = method === 'POST' ? (raw?.['method']?.toUpperCase() ?? method) : method;
    const route = matched?.byMethod.get(overridden === 'HEAD' ? 'GET' : overridden);
    if (route !== undefined) return route.endpoint.path;
  }
  // The rest of the path of a page, a file or an upload may be a key.
  const [, first = ''] = below.split('/', 2);
  return first === '' ? '/' : `/${first}/…`;
}

function accountOf(realm: Realm | undefined, request: Faulty, site: Site): number | undefined {
  if (realm === undefined) return undefined;
  if (request.authorization) return accountOfHeader(realm, request.authorization, site).id;
  const key = request.raw?.['api_key'];
  return key === undefined ? undefined : accountOfUrlKey(realm.reader, key).id;
}

/** Shorter words of a path are not secret; keys in one are longer. */
const KEY_LENGTH_MIN = 16;

/** Returns the texts of the request, the most secret first. */
function secretsOf(request: Faulty): string[] {
  const { authorization = '', path, raw = {}, text, said, idempotencyKey = '' } = request;
  const [, encoded = ''] = authorization.split(' ', 2);
  const decoded = isOfSession(authorization)
    ? encoded.slice(encoded.indexOf('x') + 1)
    : Buffer.from(encoded, 'base64').toString('utf8');
  return [
    encoded,
    decoded,
    ...path.split('/').filter(({ length }) => length >= KEY_LENGTH_MIN),
    ...Object.values(raw).toSorted((one, other) => one.length - other.length),
    ...(orNothing(() => said?.()) ?? []),
    idempotencyKey,
    orNothing(() => text?.()) ?? '',
  ];
}

/** Returns undefined if the lookup fails, so that a second error does not hide the first. */
function orNothing<Found>(look: () => Found): Found | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}
