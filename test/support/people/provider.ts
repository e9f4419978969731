import { createServer, type RequestListener, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
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

  async function open(redirectUri: string) {
    returnTo = redirectUri;
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
          token_endpoint_auth_method: 'client_secret_post',
        },
      ],
      jwks: { keys: [jwk as never] },
      cookies: { keys: ['a key of the tests'] },
      claims: { openid: ['sub', 'groups'], email: ['email', 'email_verified'], profile: ['name'] },
      features: { devInteractions: { enabled: false } },
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
    /** Takes new keys, and forgets the former ones. */
    rotate: () => open(returnTo),
    /** Answers in another way from now on; without one as the real provider. */
    hijack: (listener?: (path: string) => RequestListener | undefined) => {
      answer = (req, res) => (listener?.(req.url ?? '') ?? real)(req, res);
    },
  };
}

/** A browser, as far as a flow needs one: it follows redirects and keeps cookies by host. */
export function openFlow() {
  const jar = new Map<string, Map<string, string>>();
  const visited: string[] = [];

  async function get(address: string | URL): Promise<Reply> {
    const url = new URL(address);
    visited.push(url.href);
    const cookies = jar.get(url.host) ?? new Map<string, string>();
    jar.set(url.host, cookies);
    const cookie = Array.from(cookies, ([name, value]) => `${name}=${value}`).join('; ');
    const reply = await sent(url, cookie);
    for (const header of reply.cookies) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(header) ?? [];
      if (value === '' || /max-age=0|expires=Thu, 01 Jan 1970/i.test(header)) cookies.delete(name);
      else cookies.set(name, value);
    }
    return reply;
  }

  return {
    get,
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

/** All names below `localhost` are this machine, which not every resolver knows. */
function sent({ host, port, pathname, search }: URL, cookie: string): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const headers = { accept: 'text/html', host, cookie };
    const asked = request(
      { host: '127.0.0.1', port, path: pathname + search, headers },
      (reply) => {
        const { location, 'set-cookie': cookies = [] } = reply.headers;
        text(reply).then(
          (body) => resolve({ status: reply.statusCode ?? 0, location, cookies, text: body }),
          reject,
        );
      },
    );
    asked.on('error', reject).end();
  });
}
