import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../scratch.ts';
import { startServer } from '../start-server.ts';
import { CLIENT, openFlow, startProvider } from './provider.ts';

/** A person at the provider, whose address it vouches for. */
export const ZOE = {
  sub: 'zoe-1',
  email: 'zoe@example.com',
  email_verified: true,
  name: 'Zoe Zhou',
} as const;

/**
 * Starts a provider, and a server whose people sign in there. `entry` adds to its entry in
 * `CONFAB_SIGN_IN`, and `env` to the settings.
 */
export async function startWithProvider(entry: object = {}, env: Record<string, string> = {}) {
  const provider = await startProvider();
  const path = join(temporaryFolder(), 'sign-in.json');
  const whole = {
    type: 'openid',
    name: 'idp',
    display_name: 'The Provider',
    issuer: provider.issuer,
    client_id: CLIENT.id,
    client_secret: { env: 'IDP_SECRET' },
    ...entry,
  };
  writeFileSync(path, JSON.stringify({ entries: [whole] }));
  const server = await startServer({
    env: { CONFAB_SIGN_IN: path, IDP_SECRET: CLIENT.secret, ...env },
  });
  const origin = `http://test.localhost:${server.app.port}`;
  await provider.open(`${origin}/accounts/sign-in/idp/return`);
  await server.set('invite_required', false);
  const browser = () => openFlow();
  const start = `${origin}/accounts/sign-in/idp/`;
  const signIn = (flow = browser()) =>
    flow.follow(start, ({ pathname, host }) => pathname === '/' && host.startsWith('test.'));
  const account = (email: string) =>
    server.perform((tx) => tx.users.get([tx.userEmails.get([email])?.userId ?? -1]));
  const isReturn = ({ pathname }: URL) => pathname.endsWith('/return');
  return { provider, server, origin, start, browser, signIn, account, isReturn };
}
