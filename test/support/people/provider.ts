import { createServer, type RequestListener, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import Provider from 'oidc-provider';
import { onTestFinished } from 'vitest';

/** The claims of a person of the provider. */
export type Claims = Readonly<Record<string, unknown>> & { readonly sub: string };

export const CLIENT = {
  id: 'confab',
  secret: 'the-secret-of-the-client-that-nobody-sees',
} as const;

/** Starts an address for a provider, which `open` gives a real one of `oidc-provider`. */
export async function startProvider() {
  let answer: RequestListener = (_req, res) => void res.writeHead(500).end();
  const server = createServer((req, res) => answer(req, res));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const issuer = `http://localhost:${port}`;
  let person: Claims = { sub: 'nobody' };
  let real: RequestListener = answer;
  let returnTo = '';
  let sign = (_claims: object, _header?: object): Promise<string> =>
    Promise.reject(new Error('the provider is not open'));

  async function open(redirectUri: string) {
    returnTo = redirectUri;
    const beside = (name: string) => redirectUri.replace(/return$/, name);
    const { privateKey } = await generateKeyPair('RS256', { extractable: true });
    const jwk: JWK = {
      ...(await exportJWK(privateKey)),
      alg: 'RS256',
      use: 'sig',
      kid: crypto.randomUUID(),
    };
    const provider = new Provider(issuer, {
      clients: [
        {
          client_id: CLIENT.id,
          client_secret: CLIENT.secret,
          redirect_uris: [redirectUri],
          post_logout_redirect_uris: [beside('logged-out')],
          backchannel_logout_uri: beside('back-channel-logout'),
          backchannel_logout_session_required: true,
          token_endpoint_auth_method: 'client_secret_post',
        },
      ],
      jwks: { keys: [jwk as never] },
      cookies: { keys: ['a key of the tests'] },
      claims: { openid: ['sub', 'groups'], email: ['email', 'email_verified'], profile: ['name'] },
      features: {
        devInteractions: { enabled: false },
        rpInitiatedLogout: {
          enabled: true,
          // Its own pages ask another server for letters, which tests do not reach.
          logoutSource(ctx, form) {
            ctx.body = `<!doctype html><title>Log out?</title>${form}
<button form="op.logoutForm" name="logout" value="yes">Yes, sign me out</button>`;
          },
          postLogoutSuccessSource(ctx) {
            ctx.body = '<!doctype html><title>Logged out</title>';
          },
        },
        backchannelLogout: { enabled: true },
      },
      fetch: fetchHere,
      interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
      findAccount: (_ctx, sub) => ({ accountId: sub, claims: () => ({ ...person, sub }) as never }),
      async loadExistingGrant(ctx) {
        const grant = new ctx.oidc.provider.Grant({
          clientId: ctx.oidc.client?.clientId ?? '',
          accountId: ctx.oidc.session?.accountId ?? '',
        });
        grant.addOIDCScope('openid email profile');
        await grant.save();
        return grant;
      },
    });
    sign = (claims, header = {}) =>
      new SignJWT({ ...claims })
        .setProtectedHeader({ alg: 'RS256', kid: jwk.kid ?? '', ...header })
        .sign(privateKey);
    const callback = provider.callback();
    real = (req, res) => {
      if (!req.url?.startsWith('/interaction/')) return void callback(req, res);
      void provider.interactionFinished(req, res, { login: { accountId: person.sub } });
    };
    answer = real;
  }

  return {
    issuer,
    open,
    /** Makes this person the one who comes from now on. */
    become(claims: Claims) {
      person = claims;
    },
    /** Signs any claims with its key. */
    sign: (claims: object, header?: object) => sign(claims, header),
    /** Takes new keys, and forgets the former ones. */
    rotate: () => open(returnTo),
    /** Answers in another way from now on; without one as the real provider. */
    hijack: (listener?: (path: string) => RequestListener | undefined) => {
      answer = (req, res) => (listener?.(req.url ?? '') ?? real)(req, res);
    },
  };
}

/** All names below `localhost` are this machine, which not every resolver knows. */
function fetchHere(address: string | URL | Request, options: RequestInit = {}) {
  const url = new URL(address instanceof Request ? address.url : address);
  const headers = new Headers(options.headers);
  headers.set('host', url.host);
  url.hostname = '127.0.0.1';
  // Its own dispatcher refuses addresses of this machine.
  return fetch(url, { ...options, headers, dispatcher: undefined } as RequestInit);
}

/** A browser, as far as a flow needs one: it follows redirects and keeps cookies by host. */
export function openFlow() {
  const jar = new Map<string, Map<string, string>>();
  const visited: string[] = [];

  const get = (address: string | URL) => send(address, 'GET');

  async function send(
    address: string | URL,
    method: string,
    { fields, headers }: Sending = {},
  ): Promise<Reply> {
    const url = new URL(address);
    visited.push(url.href);
    const cookies = jar.get(url.host) ?? new Map<string, string>();
    jar.set(url.host, cookies);
    const cookie = Array.from(cookies, ([name, value]) => `${name}=${value}`).join('; ');
    const reply = await sent(url, {
      method,
      headers: { ...(cookie === '' ? {} : { cookie }), ...headers },
      body: fields && new URLSearchParams(fields).toString(),
    });
    for (const header of reply.cookies) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(header) ?? [];
      if (value === '' || /max-age=0|expires=Thu, 01 Jan 1970/i.test(header)) cookies.delete(name);
      else cookies.set(name, value);
    }
    return reply;
  }

  return {
    get,
    send,
    visited,
    jar,
    /** Goes on until a page is shown, or until the address is one of `stopAt`. */
    async follow(address: string, stopAt: (url: URL) => boolean = () => false) {
      let url = new URL(address);
      for (let hops = 0; hops < 15; hops += 1) {
        if (stopAt(url)) return { url, status: 0, text: '' };
        const reply = await get(url);
        const { location } = reply;
        if (location === undefined) return { url, status: reply.status, text: reply.text };
        url = new URL(location, url);
      }
      throw new Error(`too many redirects: ${visited.join(' ')}`);
    },
  };
}

interface Reply {
  readonly status: number;
  readonly location: string | undefined;
  readonly cookies: readonly string[];
  readonly text: string;
}

interface Sending {
  /** The fields of a form. */
  readonly fields?: Record<string, string>;
  readonly headers?: Record<string, string>;
}

interface Sent {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body: string | undefined;
}

function sent(
  { host, port, pathname, search }: URL,
  { method, headers, body }: Sent,
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const type = body === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' };
    const all = { accept: 'text/html', host, ...type, ...headers };
    const asked = request(
      { host: '127.0.0.1', port, path: pathname + search, method, headers: all, agent: false },
      (reply) => {
        const { location, 'set-cookie': cookies = [] } = reply.headers;
        text(reply).then(
          (body) => resolve({ status: reply.statusCode ?? 0, location, cookies, text: body }),
          reject,
        );
      },
    );
    asked.on('error', reject).end(body);
  });
}
