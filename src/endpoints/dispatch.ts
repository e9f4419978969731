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
  DemoPerson,
  Endpoint,
  IncomingBody,
  JsonDocument,
  Params,
  ParsedRequest,
  Posted,
  SendingPage,
  Values,
  WaitingPlace,
} from './endpoint.ts';
import type { Rule } from './permissions.ts';
import { openRoutes, type Route, type Routes } from './routes.ts';
import type { Trace } from './tracing.ts';
import { NO_REALM, openTurns, type Share, type Turns } from './turns.ts';

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
  /** Credentials: the header as it came, or those of a session (`authentication.ts`). */
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
  readonly page?: SendingPage | undefined;
  /** Null if nobody asks for the id of the request. */
  readonly trace?: Trace | null;
}

/** Takes the answer for a transport, once. */
export interface Answer {
  /** Told the place of the request's endpoint among all, for the counts of requests. */
  isOf(index: number): void;
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
  /** Returns the people of the demo file, if there is one. */
  demoPeople(): readonly DemoPerson[];
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
      answer.isOf(route.index);
      const at = deployment.at(request.host);
      new Serving({ deployment, turns, request, answer, route, path: matched.values, at }).start();
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

interface ServingInput {
  readonly deployment: Deployment;
  readonly turns: Turns;
  readonly request: ApiRequest;
  readonly answer: Answer;
  readonly route: Route;
  readonly path: Readonly<Record<string, string>>;
  readonly at: At;
}

/**
 * A request on its way to its answer. It is a class, because each request makes one: closures for
 * every step would cost a send more than its checks do.
 */
class Serving implements Share {
  readonly realmId: number;
  /** The account whose share of the thread it uses, else the address. */
  account: number | string = '';
  private readonly input: ServingInput;
  private readonly request: ApiRequest;
  /** Set while the caller that was judged is still the current one. */
  private caller: AllowedCaller | undefined;

  constructor(input: ServingInput) {
    const { request, at } = input;
    this.input = input;
    this.request = named(request, at.site.settings);
    this.realmId = at.realm?.id ?? NO_REALM;
  }

  /**
   * Judges the caller at once, which is cheap; the work waits for its turn, since it may be
   * expensive.
   */
  start() {
    const { request } = this;
    const { realm } = this.input.at;
    const { endpoint } = this.input.route;
    if (realm?.isOpen() === false) throw realm.closedBecause();
    if (!isForAnybody(endpoint)) this.caller = this.judge(endpoint);
    this.account = this.caller?.user.id ?? request.address();
    this.queue();
    // A request that waits is judged again at its turn: the account may have changed, or the server
    // may stop.
    this.caller = undefined;
  }

  private judge(endpoint: Restricted): AllowedCaller {
    return judged(endpoint, this.request, this.input.at, this.request);
  }

  private queue() {
    const { turns, answer } = this.input;
    if (!turns.run(this, () => this.work())) {
      answer.fail(errors.rateLimitHit(BUSY_SECONDS), this.request);
    }
  }

  private work() {
    const { answer, route } = this.input;
    const { endpoint } = route;
    // The client would not read the answer. A change is made all the same: clients may leave as
    // soon as they have sent it.
    if (answer.isGone() && !('change' in endpoint)) return;
    if ('read' in endpoint && answer.holdsBack(() => this.queue())) return;
    try {
      if ('document' in endpoint) return answer.show(endpoint.document());
      if ('visit' in endpoint) return this.visit(endpoint);
      this.serve(endpoint, this.caller ?? this.judge(endpoint));
    } catch (error) {
      answer.fail(error, this.request);
    }
  }

  private visit(endpoint: Visited) {
    const { request } = this;
    const { realm, site } = this.input.at;
    if (realm !== undefined) refuseWhenShort(realm, endpoint);
    const { answer, refuse } = this.replies();
    const { demoPeople } = this.input.deployment;
    const params = this.params();
    endpoint.visit({ params, realm, site, from: request, demoPeople, answer, refuse });
  }

  private serve(endpoint: Restricted, { realm, user }: AllowedCaller) {
    const { deployment, answer: transport, at } = this.input;
    const { request } = this;
    const parsed = new LazyRequest({ user, site: at.site, params: this.params() }, request, realm);
    if ('read' in endpoint) this.succeed(endpoint.read(realm.reader, parsed));
    else if ('change' in endpoint) this.change(endpoint, parsed, realm);
    else if ('exchange' in endpoint) {
      endpoint.exchange(parsed, {
        realm,
        transport,
        ...this.replies(),
        claimName(stringId) {
          const settle = deployment.claimName(realm, stringId);
          return (isGiven) => {
            settle(isGiven);
            return deployment.at(request.host).site;
          };
        },
      });
    }
  }

  private change(endpoint: Changing, parsed: LazyRequest, realm: Realm) {
    const userId = parsed.user.id;
    const context = this.request.trace?.context ?? null;
    realm.run(
      (tx) => {
        if (context !== null) tx.follow(context);
        // The account is read again: an earlier operation of the batch may have changed it, and
        // with it its permissions.
        const current = accountOfUser(tx, userId);
        endpoint.allow(current);
        return endpoint.change(tx, parsed.as(current));
      },
      (outcome) => {
        if (outcome.isDone) return this.succeed(outcome.reply);
        this.refuse(outcome.error);
        if (outcome.error instanceof RefusalWithFollowUp) follow(realm, outcome.error);
      },
      userId,
    );
  }

  private params() {
    const { route, path } = this.input;
    return route.reader.read(this.request.raw, path);
  }

  /** Returns what an endpoint answers by that does so itself. */
  private replies() {
    return {
      answer: (body: Body | void) => this.succeed(body),
      refuse: (error: unknown) => this.refuse(error),
    };
  }

  /**
   * After a commit only the realm would catch an error thrown here, and it would be restarted
   * because of one answer.
   */
  private succeed(body: Body | void) {
    const { answer, route } = this.input;
    try {
      answer.succeed(body ?? {}, withUnchanged(ignored(route.reader, this.request), body));
    } catch (error) {
      this.refuse(error);
    }
  }

  private refuse(error: unknown) {
    this.input.answer.fail(error, this.request);
  }
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
type Changing = Extract<Endpoint, { readonly change: unknown }>;

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
  if (names.length === 0 || method !== 'POST') return names;
  return names.filter((name) => name !== 'method');
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

  get noteSearch() {
    return this.realm.noteSearch;
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
