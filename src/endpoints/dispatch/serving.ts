import type { Realm } from '../../../actors/realm/realm-handle.ts';
import type { ServerSettings } from '../../config.ts';
import { withoutAliases } from '../../domain/rules/texts/aliases.ts';
import * as errors from '../../domain/wire/errors.ts';
import { accountOfUser } from '../../operations/access/authentication.ts';
import { RefusalWithFollowUp } from '../../operations/access/refusals.ts';
import type { Body, Endpoint } from '../endpoint.ts';
import type { Route } from '../routes.ts';
import { NO_REALM, type Share, type Turns } from '../turns.ts';
import type { At, Deployment } from './deployment.ts';
import { type AllowedCaller, judged, type Restricted, refuseWhenShort } from './judging.ts';
import { LazyRequest } from './lazy-request.ts';
import type { Answer, ApiRequest } from './request.ts';

/** The things that a request needs on its way. */
export interface ServingInput {
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
export class Serving implements Share {
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

type Visited = Extract<Endpoint, { readonly visit: unknown }>;
type Changing = Extract<Endpoint, { readonly change: unknown }>;

/** Returns the request with the parameters' own names. */
function named(request: ApiRequest, { aliasPrefix }: ServerSettings): ApiRequest {
  const raw = withoutAliases(request.raw, aliasPrefix);
  return raw === request.raw ? request : { ...request, raw };
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
