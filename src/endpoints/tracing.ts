import { randomBytes } from 'node:crypto';
import type { Realm } from '../../actors/realm/realm-handle.ts';
import type { RequestHost } from '../domain/request-host.ts';
import { type TraceContext, traceIn } from '../domain/wire/trace-context.ts';
import type { Site } from '../operations/access/caller.ts';
import { accountOfHeader } from './authenticate.ts';

/**
 * A line of the access log. It names the endpoint and not the path, so that nothing of a request
 * that may be secret gets into it: no query, no header, no text of a user.
 */
export interface AccessLine {
  readonly requestId: string;
  readonly traceId?: string;
  readonly method: string;
  /** The operation id of the endpoint, or `page`, `file` and the like. */
  readonly endpoint: string;
  /** Undefined if the host names none. */
  readonly realm: string | undefined;
  /** Undefined without right credentials in the header. */
  readonly userId: number | undefined;
  /** Null if the client had gone before it was answered. */
  readonly status: number | null;
  readonly ms: number;
  /** True if it has waited for events, which is no time that an answer takes. */
  readonly hasWaited?: true;
  /** True for a request in a frame of a WebSocket. */
  readonly isFrame?: true;
}

/** A request as its transport knows it when it begins. */
export interface Begun {
  readonly method: string;
  readonly host: RequestHost;
  readonly authorization: string;
  /** `X-Request-Id` as a trusted proxy gives it; else empty. */
  readonly proxyId: string;
  /** True if the request brought an id or a trace, so that the answer is to name its id. */
  readonly asksId: boolean;
  readonly traceparent: string;
  readonly isFrame?: true;
}

/** The identity of one request in the log, in its answer and in what it causes. */
export class Trace {
  readonly requestId: string;
  readonly context: TraceContext | null;
  /** The status of the answer, as soon as it is known. */
  status = '';
  hasWaited = false;
  private readonly begun: Begun;
  private readonly access: Access | null;
  private readonly begunAt: number;
  private readonly who: Who;

  constructor(begun: Begun, requestId: string, access: Access | null) {
    this.begun = begun;
    this.requestId = requestId;
    this.context = traceIn(begun.traceparent);
    this.access = access;
    this.begunAt = access === null ? 0 : performance.now();
    // The request may end the key that it was made with.
    this.who = access === null ? NOBODY : whoIn(access.hosts, begun);
  }

  /** Writes the line of the access log, if there is one. */
  end(endpoint: number, isGone: boolean) {
    const { access, begun, context } = this;
    if (access === null) return;
    access.write({
      requestId: this.requestId,
      ...(context === null ? {} : { traceId: context.traceId }),
      method: begun.method.slice(0, METHOD_LENGTH_MAX),
      endpoint: access.names[endpoint] ?? 'other',
      ...this.who,
      status: isGone ? null : Number.parseInt(this.status, 10),
      ms: Math.round((performance.now() - this.begunAt) * 1_000) / 1_000,
      ...(this.hasWaited ? { hasWaited: true } : {}),
      ...(begun.isFrame ? { isFrame: true } : {}),
    });
  }
}

/** Any text may come as a method. */
const METHOD_LENGTH_MAX = 10;

type Who = Pick<AccessLine, 'realm' | 'userId'>;
const NOBODY: Who = { realm: undefined, userId: undefined };

/** Finds the realm of a request. */
interface Hosts {
  at(host: RequestHost): { readonly realm: Realm | undefined; readonly site: Site };
}

interface Access {
  readonly hosts: Hosts;
  /** The names of endpoints by their numbers. */
  readonly names: readonly string[];
  readonly write: (line: AccessLine) => void;
}

export interface Tracing {
  /** True if every request is logged. */
  readonly isLogging: boolean;
  /** Returns null for a request of which nothing is to be told: for nearly all without the log. */
  begin(begun: Begun): Trace | null;
}

/**
 * Opens the access log if there is to be one. Without it only requests that ask for an id get one.
 */
export function openTracing(access: Access | null): Tracing {
  // Ids are unique and short; nobody trusts them, so they may be guessed.
  const run = randomBytes(6).toString('base64url');
  let count = 0;
  return {
    isLogging: access !== null,
    begin(begun) {
      if (access === null && !begun.asksId) return null;
      count += 1;
      const id = PROXY_ID.test(begun.proxyId) ? begun.proxyId : `${run}-${count.toString(36)}`;
      return new Trace(begun, id, access);
    },
  };
}

/** Ids of proxies are words of letters, digits and a few signs: they get into lines and headers. */
const PROXY_ID = /^[\w.:=+/-]{1,128}$/;

function whoIn(hosts: Hosts, { host, authorization }: Begun): Who {
  const found = orNothing(() => {
    const { realm, site } = hosts.at(host);
    const account = () => accountOfHeader(realm, authorization, site).id;
    const userId = authorization === '' ? undefined : orNothing(account);
    return { realm: realm?.stringId, userId };
  });
  return found ?? NOBODY;
}

/** Returns undefined for credentials that are refused. */
function orNothing<Found>(look: () => Found): Found | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}
