import type { Realm } from '../../actors/realm/realm-handle.ts';
import type { ServerSettings } from '../config.ts';
import { IDEMPOTENCY_KEY_LENGTH_MAX } from '../domain/limits.ts';
import type { RequestHost } from '../domain/request-host.ts';
import { withoutAliases } from '../domain/rules/texts/aliases.ts';
import * as errors from '../domain/wire/errors.ts';
import type { Consumer } from '../events/delivery.ts';
import { accountOfUser } from '../operations/access/authentication.ts';
import type { Caller, Site } from '../operations/access/caller.ts';
import { RefusalWithFollowUp } from '../operations/access/refusals.ts';
import * as spectators from '../operations/access/spectators.ts';
import {
  authenticate,
  authenticateSender,
  authenticateUrlKey,
  type Bearer,
  keyHashOf,
} from './authenticate.ts';
import { clientName } from './client-name.ts';
import type {
  Body,
  Endpoint,
  IncomingBody,
  JsonDocument,
  Params,
  ParsedRequest,
  Posted,
  Values,
  WaitingPlace,
} from './endpoint.ts';
import type { Rule } from './permissions.ts';
import { openRoutes, type Route, type Routes } from './routes.ts';
import { NO_REALM, openTurns, type Turns } from './turns.ts';

/** A request of any transport. */
export interface ApiRequest {
  readonly method: string;
  /** Below `/api/v1`, as sent. */
  readonly path: string;
  /** Parameters of body and query, the body's first. */
  readonly raw: Readonly<Record<string, string>>;
  readonly host: RequestHost;
  /** Returns the client's address, in the form that limits count. */
  readonly address: () => string;
  readonly authorization: string;
  readonly userAgent: string;
  readonly idempotencyKey: string;
  /** Reads a body that is not a form. */
  readonly text?: (() => string) | undefined;
  /** The body as it came. */
  readonly bytes?: Uint8Array | undefined;
  /** Reads the file of a multipart body. */
  readonly file?: (() => Buffer | null) | undefined;
  /** Headers in which other services name the event, and authenticate themselves. */
  readonly webhookHeaders?: Readonly<Record<string, string>> | undefined;
}

/** Takes the answer for a transport, once. */
export interface Answer {
  succeed(body: Body, ignored: readonly string[]): void;
  /** Answers with only the document, without the envelope. */
  show(document: JsonDocument): void;
  fail(error: unknown, request: ApiRequest): void;
  options(allowed: readonly string[]): void;
  /** True if the request can wait as the consumer of a queue; `park` makes it one. */
  readonly canPark: boolean;
  park(place: WaitingPlace): Consumer;
  /** Tests whether the client has gone, so that no answer would be read. */
  isGone(): boolean;
  /**
   * Returns true if the client has to take earlier answers first, because the next one may be
   * large: then `retry` is called once it has.
   */
  holdsBack(retry: () => void): boolean;
  /** The rest of the request, for endpoints that read it as it arrives. */
  readonly body: IncomingBody | null;
}

export interface Deployment {
  /**
   * Returns the realm of a host name, undefined if it names none and there is no default, and how
   * the realm is seen from there.
   */
  at(host: RequestHost): At;
  /**
   * Reserves a name for a realm that is about to get it; refuses the name of another realm. The
   * returned function ends the reservation, and is told whether the realm has the name.
   */
  claimName(realm: Realm, stringId: string): (isGiven: boolean) => void;
}

interface At {
  readonly realm: Realm | undefined;
  readonly site: Site;
}

export type Dispatch = (request: ApiRequest, answer: Answer) => void;

/**
 * Finds the endpoint, then the caller, checks the permission, parses the parameters, and answers in
 * every case.
 */
export function openDispatch(
  deployment: Deployment,
  routes: Routes,
  turns: Turns = openTurns(),
): Dispatch {
  return (request, answer) => {
    try {
      const matched = routes.find(request.path);
      if (matched === undefined) throw errors.notFound(request.path);
      const method = request.method === 'HEAD' ? 'GET' : overridden(request);
      if (method === 'OPTIONS') return answer.options(matched.allowed);
      const route = matched.byMethod.get(method);
      if (route === undefined) throw errors.methodNotAllowed(matched.allowed);
      serve({ deployment, turns, request, answer, route, path: matched.values });
    } catch (error) {
      answer.fail(error, request);
    }
  };
}

/** Tests whether the body of such a request is passed on as it arrives. */
export function openStreaming(endpoints: readonly Endpoint[]) {
  const routes = openRoutes(endpoints.filter(({ streams }) => streams));
  return ({ method, path }: Pick<ApiRequest, 'method' | 'path'>): boolean => {
    try {
      return routes.find(path)?.byMethod.has(method) === true;
    } catch {
      // The path is malformed, and the dispatch refuses it.
      return false;
    }
  };
}

/**
 * Returns the method; a form field `method` on a POST replaces it (reference/endpoints.md section
 * 0).
 */
const overridden = ({ method, raw }: ApiRequest) =>
  method === 'POST' ? (raw['method']?.toUpperCase() ?? 'POST') : method;

interface Serving {
  readonly deployment: Deployment;
  readonly turns: Turns;
  readonly request: ApiRequest;
  readonly answer: Answer;
  readonly route: Route;
  readonly path: Readonly<Record<string, string>>;
}

/**
 * Judges the caller at once, which is cheap; the work waits for its turn, since it may be
 * expensive.
 */
function serve(serving: Serving) {
  const { deployment, turns, request: given, answer, route } = serving;
  const { endpoint } = route;
  const at = deployment.at(given.host);
  const { realm, site } = at;
  const request = named(given, site.settings);
  if (realm?.isOpen() === false) throw realm.closedBecause();
  let caller = isForAnybody(endpoint) ? undefined : judged(endpoint, request, at, request);
  const share = { realmId: realm?.id ?? NO_REALM, account: caller?.user.id ?? request.address() };
  const begin = () => {
    // The client would not read the answer. A change is made all the same: clients may leave as
    // soon as they have sent it.
    if (answer.isGone() && !('change' in endpoint)) return;
    if ('read' in endpoint && answer.holdsBack(queue)) return;
    try {
      if ('document' in endpoint) return answer.show(endpoint.document());
      if ('visit' in endpoint) return visit(endpoint, { ...serving, request }, at);
      work({ ...serving, request }, caller ?? judged(endpoint, request, at, request), site);
    } catch (error) {
      answer.fail(error, request);
    }
  };
  const queue = () => {
    if (!turns.run(share, begin)) answer.fail(errors.rateLimitHit(BUSY_SECONDS), request);
  };
  queue();
  // A request that waits is judged again at its turn: the account may have changed, or the server
  // may stop.
  caller = undefined;
}

const isForAnybody = (endpoint: Endpoint): endpoint is Exclude<Endpoint, Restricted> =>
  'visit' in endpoint || 'document' in endpoint;

/** Seconds after which an account with too many waiting requests should come back. */
const BUSY_SECONDS = 1;

/** The caller of a request that is allowed. */
interface AllowedCaller {
  readonly realm: Realm;
  readonly user: Caller['user'];
}

/**
 * Refuses a request if the realm is closed, credentials are invalid, or the account lacks the
 * permission. With a bearer, the use of the key is noted.
 */
export function judged(
  endpoint: Restricted,
  request: Pick<ApiRequest, 'raw' | 'authorization'>,
  { realm, site }: At,
  bearer?: Bearer,
): AllowedCaller {
  if (realm?.isOpen() === false) throw realm.closedBecause();
  const user = whoAsks(endpoint, request, { realm, site }, bearer);
  if (realm === undefined) throw errors.nonexistentSubdomain();
  endpoint.allow(user);
  refuseWhenShort(realm, endpoint);
  return { realm, user };
}

type Restricted = Extract<Endpoint, { readonly allow: Rule }>;
type Visited = Extract<Endpoint, { readonly visit: unknown }>;

function visit(endpoint: Visited, serving: Serving, { realm, site }: At) {
  const { request, route, path } = serving;
  if (realm !== undefined) refuseWhenShort(realm, endpoint);
  const { succeed, refuse } = replies(serving);
  const params = route.reader.read(request.raw, path);
  endpoint.visit({ params, realm, site, from: request, answer: succeed, refuse });
}

function work(serving: Serving, { realm, user }: AllowedCaller, site: Site) {
  const { deployment, request, answer, route, path } = serving;
  const { endpoint, reader } = route;
  const { succeed, refuse } = replies(serving);
  const params = reader.read(request.raw, path);
  const parsed = new LazyRequest({ user, site, params }, request, realm);
  if ('read' in endpoint) succeed(endpoint.read(realm.reader, parsed));
  else if ('exchange' in endpoint)
    endpoint.exchange(parsed, {
      realm,
      transport: answer,
      answer: succeed,
      refuse,
      claimName(stringId) {
        const settle = deployment.claimName(realm, stringId);
        return (isGiven) => {
          settle(isGiven);
          return deployment.at(request.host).site;
        };
      },
    });
  else if ('change' in endpoint) {
    realm.run(
      (tx) => {
        // The account is read again: an earlier operation of the batch may have changed it, and
        // with it its permissions.
        const current = accountOfUser(tx, user.id);
        endpoint.allow(current);
        return endpoint.change(tx, parsed.as(current));
      },
      (outcome) => {
        if (outcome.isDone) return succeed(outcome.reply);
        refuse(outcome.error);
        if (outcome.error instanceof RefusalWithFollowUp) follow(realm, outcome.error);
      },
      user.id,
    );
  }
}

function replies({ request, answer, route: { reader } }: Serving) {
  const refuse = (error: unknown) => answer.fail(error, request);
  // After a commit only the realm would catch an error thrown here, and it would be restarted
  // because of one answer.
  const succeed = (body: Body | void) => {
    try {
      answer.succeed(body ?? {}, withUnchanged(ignored(reader, request), body));
    } catch (error) {
      refuse(error);
    }
  };
  return { succeed, refuse };
}

/** Refuses operations that take space when less than the bound is free. */
function refuseWhenShort({ space }: Realm, { method, needsNoSpace }: Endpoint) {
  if (!space.isShort() || needsNoSpace || method === 'GET' || method === 'DELETE') return;
  throw errors.storageFull();
}

/** Returns the request with the parameters' own names. */
function named(request: ApiRequest, { aliasPrefix }: ServerSettings): ApiRequest {
  const raw = withoutAliases(request.raw, aliasPrefix);
  return raw === request.raw ? request : { ...request, raw };
}

function whoAsks(
  endpoint: Restricted,
  request: Pick<ApiRequest, 'raw' | 'authorization'>,
  { realm, site }: At,
  bearer?: Bearer,
): Caller['user'] {
  if (endpoint.byUrlKey) {
    const key = request.raw['api_key'];
    if (key === undefined) throw errors.missingParameter('api_key');
    if (realm === undefined) throw errors.nonexistentSubdomain();
    return authenticateUrlKey(realm, key, bearer);
  }
  if (endpoint.spectators && request.authorization === '' && realm !== undefined) {
    return spectators.admit(realm.reader, site.settings);
  }
  const authenticated = endpoint.forSenders ? authenticateSender : authenticate;
  return authenticated(realm, request.authorization, site, bearer);
}

/** Runs the follow-up of a refusal, which must not be refused itself: any error is a bug. */
function follow(realm: Realm, { followUp }: RefusalWithFollowUp) {
  realm.run(followUp, (outcome) => {
    if (!outcome.isDone) throw outcome.error;
  });
}

/** Returns the unknown parameters, without the one that replaced the method. */
const ignored = (reader: Route['reader'], { method, raw }: ApiRequest): readonly string[] => {
  const names = reader.ignored(raw);
  return method === 'POST' ? names.filter((name) => name !== 'method') : names;
};

/**
 * Adds the parameters that an endpoint knows but that changed nothing; they are reported with the
 * unknown ones.
 */
function withUnchanged(unknown: readonly string[], body: Body | void): readonly string[] {
  const unchanged = body?.['ignored_parameters_unsupported'];
  return Array.isArray(unchanged) ? [...unknown, ...(unchanged as string[])].sort() : unknown;
}

const NOTHING = new Uint8Array();

/**
 * A request as an operation gets it. Fields that few endpoints read are computed on access: a
 * poll costs too little for them.
 */
class LazyRequest implements ParsedRequest<Params> {
  readonly user: Caller['user'];
  readonly site: Site;
  readonly params: Values<Params>;
  private readonly request: ApiRequest;
  private readonly realm: Realm;

  constructor(
    { user, site, params }: Pick<ParsedRequest<Params>, 'user' | 'site' | 'params'>,
    request: ApiRequest,
    realm: Realm,
  ) {
    this.user = user;
    this.site = site;
    this.params = params;
    this.request = request;
    this.realm = realm;
  }

  get client(): string {
    return clientName(this.request);
  }

  get keyHash(): string | undefined {
    return keyHashOf(this.realm, this.request.authorization, this.site);
  }

  get now(): number {
    return this.realm.now();
  }

  get posted(): Posted {
    const { text, bytes, webhookHeaders } = this.request;
    return {
      text: text?.(),
      body: bytes ?? NOTHING,
      header: (name) => webhookHeaders?.[name.toLowerCase()],
    };
  }

  get file(): Buffer | null {
    return this.request.file?.() ?? null;
  }

  get idempotencyKey(): string | null {
    return idempotencyKey(this.request);
  }

  /** Returns the same request with the account as it is now. */
  as(user: Caller['user']): LazyRequest {
    return new LazyRequest(
      { user, site: this.site, params: this.params },
      this.request,
      this.realm,
    );
  }
}

function idempotencyKey({ idempotencyKey: key }: ApiRequest): string | null {
  if (key.length > IDEMPOTENCY_KEY_LENGTH_MAX) {
    throw errors.badRequest(
      `The Idempotency-Key header is longer than ${IDEMPOTENCY_KEY_LENGTH_MAX} characters`,
    );
  }
  return key === '' ? null : key;
}
