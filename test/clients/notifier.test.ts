import { readFileSync } from 'node:fs';
import http from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { TLSSocket } from 'node:tls';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { run } from '../support/processes/run.ts';
import { pythonProgram } from './python-client.ts';
import { type Served, serveClients } from './served.ts';

const FIXTURES = join(import.meta.dirname, '../fixtures');
const DOMAIN = 'chat.example.com';

describe.skipIf(inject('pythonClients') === null)('the notifier', () => {
  test('writes to a channel and to somebody, as a bot', async () => {
    const server = await serveClients({ CONFAB_DOMAIN: DOMAIN });
    const mel = server.person('mel');
    const queue = await server.register(mel, { event_types: ['message'] });
    const bot = { full_name: 'News', short_name: 'news' };
    const { body } = await server.post(mel, '/bots', bot);
    // It goes to port 443 of the organization's name, and nowhere else: a proxy leads it here.
    const env = { HTTPS_PROXY: await tunnelTo(server), NO_PROXY: '' };
    const notify = (key: string, target: string) => {
      const url = `zulip://news-bot@demo.${DOMAIN}/${key}/${target}?verify=no`;
      const words = ['-t', 'Weather', '-b', 'It *rains*', url];
      return run(pythonProgram('apprise'), ['-vv', ...words], env);
    };

    expect(await notify(body.api_key, 'general')).toMatchObject({ code: 0 });
    expect(await queue.next()).toMatchObject([
      {
        message: {
          sender_id: body.user_id,
          type: 'stream',
          display_recipient: 'general',
          subject: 'Weather',
          content: 'It *rains*',
        },
      },
    ]);
    expect(await notify(body.api_key, mel.email)).toMatchObject({ code: 0 });
    expect(await queue.next()).toMatchObject([
      { message: { sender_id: body.user_id, type: 'private', content: 'It *rains*' } },
    ]);
    const wrongKey = '0'.repeat(32);
    expect(await notify(wrongKey, 'general')).toMatchObject({ code: 1 });
  });
});

/**
 * Starts a proxy that ends TLS, as one in front of a server does, for clients that ask for the
 * organization; returns its address.
 */
async function tunnelTo(server: Served): Promise<string> {
  const key = readFileSync(join(FIXTURES, 'test-only-key.pem'));
  const cert = readFileSync(join(FIXTURES, 'test-only-cert.pem'));
  const proxy = http.createServer();
  proxy.on('connect', ({ url }, client) => {
    client.on('error', () => client.destroy());
    if (url !== `demo.${DOMAIN}:443`) return client.destroy();
    client.write('HTTP/1.1 200 Connected\r\n\r\n');
    const secure = new TLSSocket(client, { isServer: true, key, cert });
    const plain = connect(server.port(), '127.0.0.1');
    for (const socket of [secure, plain]) socket.on('error', () => client.destroy());
    secure.pipe(plain).pipe(secure);
  });
  onTestFinished(() => void proxy.close());
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  // A server that listens on a port has an address of this type.
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
}
