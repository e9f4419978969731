import { expect } from 'vitest';
import { hashPassword } from '../../../src/endpoints/server/password-hash.ts';
import type { Params, Reply, TestSocket } from '../client.ts';
import type { TestServer } from '../start-server.ts';
import type { Person } from '../users.ts';

export const PASSWORD = 'correct horse';

/** Headers that a browser sends with a request of a page of the same host. */
export const FROM_OWN_PAGE = { 'sec-fetch-site': 'same-origin' };

export const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

/** A browser with a page of the server open, and with its cookies. */
export interface Browser {
  /** The `Cookie` header; empty while it is logged out. */
  cookie: string;
  /** The `Set-Cookie` header that came last. */
  setCookie: string;
  logIn(as: Person, password?: string): Promise<Reply>;
  send(method: string, path: string, params?: Params, headers?: Headers): Promise<Reply>;
  get(path: string, headers?: Headers): Promise<Reply>;
  socket(query?: string, headers?: Headers): Promise<TestSocket>;
}

type Headers = Record<string, string>;

/** Opens a browser, which adds its cookie to what it sends, whatever page has asked for it. */
export function openBrowser(
  server: Pick<TestServer, 'request' | 'socket'>,
  userAgent = FIREFOX,
  fixed: Headers = {},
): Browser {
  const cookies = (): Headers => (browser.cookie === '' ? {} : { cookie: browser.cookie });
  const browser: Browser = {
    cookie: '',
    setCookie: '',
    logIn: (as, password = PASSWORD) =>
      browser.send('POST', '/sessions', { username: as.email, password }),
    get: (path, headers) => browser.send('GET', path, {}, headers),
    async send(method, path, params = {}, headers = FROM_OWN_PAGE) {
      const fields = new URLSearchParams(
        Object.entries(params).map(([name, value]) => [
          name,
          typeof value === 'string' ? value : JSON.stringify(value),
        ]),
      ).toString();
      const isRead = method === 'GET' || method === 'HEAD';
      const reply = await server.request(method, path, {
        headers: {
          'user-agent': userAgent,
          'content-type': 'application/x-www-form-urlencoded',
          ...fixed,
          ...cookies(),
          ...headers,
        },
        ...(isRead ? {} : { body: fields }),
      });
      const [set] = reply.headers['set-cookie'] ?? [];
      if (set !== undefined) {
        browser.setCookie = set;
        const [pair = ''] = set.split(';');
        browser.cookie = pair.endsWith('=') ? '' : pair;
      }
      return reply;
    },
    socket: (query = '', headers = {}) =>
      server.socket(null, { query, headers: { ...fixed, ...cookies(), ...headers } }),
  };
  return browser;
}

/** Gives people of the test realm the password. */
export async function givePasswords(server: TestServer, ...people: readonly Person[]) {
  const passwordHash = await hashPassword(PASSWORD);
  await server.perform((tx) => {
    for (const { id } of people) {
      const user = tx.users.get([id]) ?? expect.fail('they are there');
      tx.users.put([id], { ...user, passwordHash });
    }
  });
}
