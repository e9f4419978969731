import { expect, test } from 'vitest';
import { settledUrl } from '../../src/admin/settled-url.ts';
import { readSettings } from '../../src/config.ts';
import type { Mail } from '../../src/operations/access/mails.ts';
import { portInLinks } from '../../src/settings/addresses.ts';
import { openClient } from '../support/client.ts';
import { startServer, type TestServer } from '../support/start-server.ts';

const ELSEWHERE = 'evil.example';

test.each([
  { env: {}, url: 'http://test.localhost' },
  { env: { CONFAB_DOMAIN: 'chat.example.com' }, url: 'http://test.chat.example.com' },
  { env: { CONFAB_PUBLIC_URL: 'https://chat.example.com/' }, url: 'https://chat.example.com' },
])('no mail links a host that a request names, but $url', async ({ env, url }) => {
  const server = await startServer({ env: { CONFAB_SMTP_URL: 'smtp://127.0.0.1:1', ...env } });
  const { ada, mel, max } = server.people;
  const evil = openClient(() => server.app.port, `test.${ELSEWHERE}`);
  await evil.post(ada, '/invites', { invitee_emails: 'zoe@example.com', stream_ids: [] });
  await evil.patch(mel, '/settings', { email: 'mel@example.org' });
  await evil.post(ada, '/users', {
    email: 'yan@example.com',
    full_name: 'Yan New',
    password: 'correct horse',
  });
  await evil.delete(ada, `/users/${max.id}`, { deactivation_notification_comment: 'bye' });
  const sent = await mails(server);
  expect(sent.length).toBeGreaterThanOrEqual(3);
  for (const { text } of sent) {
    expect(text).not.toContain(ELSEWHERE);
    for (const [link] of text.matchAll(/https?:\/\/[^\s,]+/g))
      expect(link.startsWith(url)).toBe(true);
  }
  expect(sent.filter(({ text }) => text.includes(`${url}/`)).length).toBeGreaterThanOrEqual(2);
});

test('replies name the URL that the operator has set, and no other', async () => {
  const server = await startServer({ env: { CONFAB_PUBLIC_URL: 'https://chat.example.com' } });
  const { ada } = server.people;
  const { admin } = await server.addRealm('other');
  for (const host of [ELSEWHERE, 'test.localhost', '127.0.0.1']) {
    const client = openClient(() => server.app.port, host);
    const settings = await server.get(null, '/server_settings');
    expect(settings.body.realm_url).toBe('https://test.chat.example.com');
    if (host !== 'test.localhost') continue;
    expect((await client.register(ada)).state.realm_url).toBe('https://test.chat.example.com');
    const { body } = await client.post(ada, '/invites/multiuse');
    expect(body.invite_link).toMatch(/^https:\/\/test\.chat\.example\.com\/join\//);
  }
  const other = openClient(() => server.app.port, 'other.chat.example.com');
  expect((await other.register(admin)).state.realm_uri).toBe('https://other.chat.example.com');
});

test.each([
  { settings: {}, name: 'acme', url: 'http://acme.localhost:8080' },
  { settings: { port: 80 }, name: 'acme', url: 'http://acme.localhost' },
  { settings: { port: 443, isTls: true }, name: 'acme', url: 'https://acme.localhost' },
  { settings: { port: null, domain: 'example.com' }, name: 'acme', url: 'http://acme.example.com' },
  { settings: {}, name: undefined, url: 'http://localhost:8080' },
  {
    settings: { publicUrl: 'https://example.com:8443' },
    name: 'acme',
    url: 'https://acme.example.com:8443',
  },
  {
    settings: { publicUrl: 'https://example.com' },
    name: 'acme',
    isMeant: true,
    url: 'https://example.com',
  },
])('a realm is found at $url', ({ settings, name, isMeant = false, url }) => {
  const all = { publicUrl: null, domain: 'localhost', isTls: false, port: 8080, ...settings };
  expect(settledUrl(all, name, isMeant)).toBe(url);
});

test('links have the port of the server, unless it is behind a proxy', () => {
  const of = (env: Record<string, string>) => portInLinks(readSettings(env));
  expect(of({})).toBe(8080);
  expect(of({ CONFAB_DOMAIN: 'example.com' })).toBeNull();
  expect(of({ CONFAB_DOMAIN: 'example.com', CONFAB_HOST: '0.0.0.0' })).toBe(8080);
});

test.each([
  'chat.example.com',
  'ftp://chat.example.com',
  'https://chat.example.com/path',
  'https://',
])('the address of the server is none: %s', (url) => {
  expect(() => readSettings({ CONFAB_PUBLIC_URL: url })).toThrow(
    /^CONFAB_PUBLIC_URL is not an address/,
  );
});

const mails = (server: TestServer) =>
  server.perform((tx) =>
    Array.from(tx.outbox.range({}), ([, { content }]) => content as Mail).filter(
      (content) => 'subject' in content,
    ),
  );
