import { SESSION_LIFE_MS } from '../../domain/limits/credentials.ts';
import { nameOfHost, type RequestHost } from '../../domain/request-host.ts';
import { sessionCredentials } from '../../operations/access/authentication.ts';
import type { Site } from '../../operations/access/caller.ts';
import type { Deployment } from '../dispatch/deployment.ts';
import { isOfOwnPage, isOwnOrigin, type Sender } from './own-page.ts';

/**
 * The name of the cookie over TLS. By its beginning browsers know that no other host may set it,
 * and that it is sent over TLS only.
 */
const SECURE_NAME = '__Host-confab';

/**
 * Returns the name of the cookie over plain HTTP. Cookies are shared by all ports of a host, and on
 * a developer's machine there may be several servers.
 */
function plainName(host: RequestHost): string {
  const [, port] = /:(\d{1,5})$/.exec(nameOfHost(host)) ?? [];
  return port === undefined ? 'confab' : `confab-${port}`;
}

interface Seen {
  readonly host: RequestHost;
  readonly site: Site;
  /** The origin of the page that logs in; empty if it is not known. */
  readonly origin: string;
}

/** Returns the `Set-Cookie` header of a session. */
export const setCookie = (seen: Seen, value: string): string =>
  header(seen, value, SESSION_LIFE_MS / 1000);

/** Returns the header that makes a browser forget its session. */
export const clearCookie = (seen: Seen): string => header(seen, '', 0);

function header(seen: Seen, value: string, maxAgeSeconds: number): string {
  const { host, site, origin } = seen;
  // The browser knows best: there may be a proxy that does not say that it speaks TLS.
  const isSecure = site.url.startsWith('https://') || origin.startsWith('https://');
  const name = isSecure ? SECURE_NAME : plainName(host);
  const attributes = `Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax`;
  return `${name}=${value}; ${attributes}${isSecure ? '; Secure' : ''}`;
}

/** A request with cookies and without an `Authorization` header. */
export interface CookieRequest extends Sender {
  readonly host: RequestHost;
  /** The `Cookie` header. */
  readonly cookie: string;
  readonly method: string;
  readonly isOfApi: boolean;
}

/** A handshake with cookies and without other credentials. */
export type CookieHandshake = Pick<CookieRequest, 'host' | 'cookie' | 'origin' | 'fetchSite'>;

/** Finds the credentials in cookies, where they count; empty where they do not. */
export interface SessionCookies {
  ofRequest(request: CookieRequest): string;
  ofHandshake(handshake: CookieHandshake): string;
}

/** Takes no notice of cookies. */
export const NO_SESSIONS: SessionCookies = { ofRequest: () => '', ofHandshake: () => '' };

/**
 * Browsers send cookies by themselves, with whatever request a page of anybody makes. So a cookie
 * counts only if a page of this host has sent the request, or, outside of the API, if a person has
 * opened the address, as that of a file in a tab of its own. The page of a socket must say its
 * origin, because it could read what comes.
 */
export function openSessionCookies(deployment: Deployment): SessionCookies {
  return {
    ofRequest(request) {
      const { host, method, isOfApi, fetchSite } = request;
      const value = valueIn(request, deployment);
      if (value === undefined) return '';
      const isRead = method === 'GET' || method === 'HEAD';
      const isOpened = fetchSite === 'none' && isRead && !isOfApi;
      const { site } = deployment.at(host);
      const counts = isOpened || isOfOwnPage(request, { host, site, isRead });
      return counts ? sessionCredentials(value) : '';
    },
    ofHandshake(handshake) {
      const { host, origin, fetchSite } = handshake;
      const value = valueIn(handshake, deployment);
      if (value === undefined) return '';
      const isOwn = isOwnOrigin(origin, { host, site: deployment.at(host).site });
      const counts = isOwn && (fetchSite === '' || fetchSite === 'same-origin');
      return counts ? sessionCredentials(value) : '';
    },
  };
}

/** Returns the value of the session cookie. Over TLS that of plain HTTP may be anybody's. */
function valueIn(
  { cookie, host }: Pick<CookieRequest, 'cookie' | 'host'>,
  deployment: Deployment,
): string | undefined {
  const secure = cookieIn(cookie, SECURE_NAME);
  if (secure !== undefined || deployment.at(host).site.url.startsWith('https://')) return secure;
  return cookieIn(cookie, plainName(host));
}

function cookieIn(header: string, name: string): string | undefined {
  for (const pair of header.split(';')) {
    const equals = pair.indexOf('=');
    if (equals > 0 && pair.slice(0, equals).trim() === name) return pair.slice(equals + 1).trim();
  }
  return undefined;
}
