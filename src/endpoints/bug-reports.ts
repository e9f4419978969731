import { randomUUID } from 'node:crypto';
import type { Realm } from '../../actors/realm/realm-handle.ts';
import { withoutSecrets } from '../domain/rules/texts/hidden-words.ts';
import { type DescribedError, describedError } from '../domain/wire/described-error.ts';
import { accountOfUrlKey } from '../operations/access/authentication.ts';
import type { Site } from '../operations/access/caller.ts';
import * as realms from '../operations/access/realms.ts';
import { accountOfHeader } from './authenticate.ts';
import type { Call, Deployment } from './dispatch.ts';
import type { Routes } from './routes.ts';

/** A request that met a bug, as far as its transport had read it. */
export interface Faulty extends Partial<Call> {
  readonly method: string;
  readonly path: string;
  /** What else came with it. */
  readonly said?: () => readonly string[];
}

/** All that the log tells of it: whoever reads a log learns neither credentials nor what people write. */
export interface BugReport {
  readonly err: DescribedError;
  /** Made for this answer, which says it too. */
  readonly requestId: string;
  /** As declared: a path may hold the key of an invitation. */
  readonly endpoint: string;
  readonly realm: string | undefined;
  readonly userId: number | undefined;
}

interface ReportsInput {
  readonly deployment: Deployment;
  readonly routes: Routes;
  /** What paths of the API begin with where the transport has not taken it off. */
  readonly prefix: string;
}

/** Says what may be told of a bug. Everything is looked up when there is one, so a request that meets none pays nothing. */
export function openBugReports({ deployment, routes, prefix }: ReportsInput) {
  return (error: unknown, call: Faulty): BugReport => {
    const { realm, site } = deployment.at(call.host ?? '');
    const secrets = secretsOf(call);
    return {
      err: describedError(error, (text) => withoutSecrets(text, secrets)),
      requestId: randomUUID(),
      endpoint: `${call.method} ${endpointOf(routes, call, prefix)}`,
      realm: orNothing(() => realm && realms.namesOf(realm.reader)[0]),
      userId: orNothing(() => accountOfCall(realm, call, site)),
    };
  };
}

export type ReportBug = ReturnType<typeof openBugReports>;

function endpointOf(routes: Routes, { path, raw, method }: Faulty, prefix: string): string {
  const isOfApi = raw !== undefined || path.startsWith(`${prefix}/`);
  const below = path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : path;
  if (isOfApi) {
    const matched = orNothing(() => routes.find(below));
    const asked = method === 'POST' ? (raw?.['method']?.toUpperCase() ?? method) : method;
    const route = matched?.byMethod.get(asked === 'HEAD' ? 'GET' : asked);
    if (route !== undefined) return route.endpoint.path;
  }
  // Of a page, a file or an upload the rest may be a key.
  const [, first = ''] = below.split('/', 2);
  return first === '' ? '/' : `/${first}/…`;
}

function accountOfCall(realm: Realm | undefined, call: Faulty, site: Site): number | undefined {
  if (realm === undefined) return undefined;
  if (call.authorization) return accountOfHeader(realm, call.authorization, site).id;
  const key = call.raw?.['api_key'];
  return key === undefined ? undefined : accountOfUrlKey(realm.reader, key).id;
}

/** The words of a path are no secret, and the keys in one are longer. */
const KEY_LENGTH_MIN = 16;

/** Whatever came with the request, most secret first. */
function secretsOf(call: Faulty): string[] {
  const { authorization = '', path, raw = {}, text, said, idempotencyKey = '' } = call;
  const [, encoded = ''] = authorization.split(' ', 2);
  const decoded = Buffer.from(encoded, 'base64').toString('utf8');
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

/** Nothing that fails here may hide what failed first. */
function orNothing<Found>(look: () => Found): Found | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}
