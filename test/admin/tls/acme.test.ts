import { spawn, spawnSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:https';
import net, { type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { axios } from 'acme-client';
import { expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../../bench/servers/free-port.ts';
import { ensurePair, isDue } from '../../../src/admin/tls/acme.ts';
import { FORMER } from '../../support/files/live-certificates.ts';
import { isUp } from '../../support/processes/ports.ts';
import { temporaryFolder } from '../../support/scratch.ts';
import { startServer } from '../../support/start-server.ts';

const hasPebble = spawnSync('pebble', ['-version']).status === 0;
const DOMAIN = 'chat.example.com';

test('a certificate is due when a third of its time is left, or a name is missing', () => {
  const pem = readFileSync(FORMER.cert);
  const { validFrom, validTo } = new X509Certificate(pem);
  const [from, to] = [Date.parse(validFrom), Date.parse(validTo)];
  const at = (share: number) => from + (to - from) * share;
  expect(isDue(pem, ['localhost'], at(0.1))).toBe(false);
  expect(isDue(pem, ['localhost'], at(0.66))).toBe(false);
  expect(isDue(pem, ['localhost'], at(0.67))).toBe(true);
  expect(isDue(pem, ['localhost', DOMAIN], at(0.1))).toBe(true);
});

test('what is served until there is one is private, and due at once', async () => {
  const folder = join(temporaryFolder(), 'tls');
  const files = { key: join(folder, 'key.pem'), cert: join(folder, 'cert.pem') };
  await ensurePair(files);
  const made = readFileSync(files.cert);
  expect(isDue(made, [], Date.now())).toBe(true);
  expect(Date.parse(new X509Certificate(made).validTo)).toBeGreaterThan(Date.now());
  for (const file of Object.values(files)) expect(statSync(file).mode & 0o777).toBe(0o600);
  await ensurePair(files);
  expect(readFileSync(files.cert).equals(made)).toBe(true);
});

// Without an authority on this machine there is nobody to ask.
test.skipIf(!hasPebble)(
  'a certificate is got from an authority, and served without a restart',
  async () => {
    const redirectPort = await freePort();
    const { directory } = await startPebble(redirectPort);
    const server = await startServer({
      env: {
        CONFAB_DOMAIN: DOMAIN,
        CONFAB_REDIRECT_PORT: String(redirectPort),
        CONFAB_ACME_EMAIL: 'ops@example.com',
        CONFAB_ACME_DIRECTORY: directory,
      },
    });
    const { port } = server.app;
    const issuer = async () => (await certificateAt(port)).issuer.CN;
    const stands = async () => [await issuer(), ...server.bugs].join('\n');
    await expect.poll(stands, { timeout: 20_000 }).toMatch(/^Pebble/);
    const { subjectaltname } = await certificateAt(port);
    // The realm was made after the start.
    expect(subjectaltname).toBe(`DNS:${DOMAIN}`);
    for (const name of ['key.pem', 'cert.pem', 'account.pem']) {
      expect(statSync(join(server.data, 'tls', name)).mode & 0o777).toBe(0o600);
    }
    expect(server.bugs).toEqual([]);
    const challenge = `http://127.0.0.1:${redirectPort}/.well-known/acme-challenge/x`;
    expect((await fetch(challenge)).status).toBe(404);
  },
);

/** An authority that asks this machine for every name, at the port for challenges. */
async function startPebble(httpPort: number) {
  const folder = temporaryFolder();
  // It asks by TCP, where a length comes before each message (RFC 1035, 4.2.2).
  const dns = net.createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.on('data', (bytes) => {
      const answer = answered(bytes.subarray(2));
      const length = Buffer.alloc(2);
      length.writeUInt16BE(answer.length);
      socket.write(Buffer.concat([length, answer]));
    });
  });
  await new Promise<void>((resolve) => dns.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void dns.close());
  const [listenPort, managementPort] = [await freePort(), await freePort()];
  const config = join(folder, 'pebble.json');
  const pebble = {
    listenAddress: `127.0.0.1:${listenPort}`,
    managementListenAddress: `127.0.0.1:${managementPort}`,
    certificate: FORMER.cert,
    privateKey: FORMER.key,
    httpPort,
    tlsPort: 5001,
    ocspResponderURL: '',
    profiles: { default: { description: 'The only one', validityPeriod: 7_776_000 } },
  };
  writeFileSync(config, JSON.stringify({ pebble }));
  const dnsServer = `127.0.0.1:${(dns.address() as AddressInfo).port}`;
  const child = spawn('pebble', ['-config', config, '-dnsserver', dnsServer], {
    stdio: 'ignore',
    // Half of its nonces are refused by default, so that clients show that they try again.
    env: { PEBBLE_VA_NOSLEEP: '1', PATH },
  });
  onTestFinished(() => void child.kill());
  const usual = axios.defaults.httpsAgent;
  axios.defaults.httpsAgent = new Agent({ ca: readFileSync(FORMER.cert) });
  onTestFinished(() => {
    axios.defaults.httpsAgent = usual;
  });
  await expect.poll(() => isUp(listenPort), { timeout: 15_000 }).toBe(true);
  return { directory: `https://localhost:${listenPort}/dir` };
}

// biome-ignore lint/style/noProcessEnv: the authority is found there.
const PATH = process.env['PATH'] ?? '';

/** Answers a question for an IPv4 address with this machine, and any other with nothing. */
function answered(query: Buffer): Buffer {
  const end = query.indexOf(0, 12) + 5;
  const question = query.subarray(12, end);
  const isA = question.readUInt16BE(question.length - 4) === 1;
  const head = Buffer.alloc(12);
  query.copy(head, 0, 0, 2);
  head.writeUInt16BE(0x81_80, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(isA ? 1 : 0, 6);
  const record = Buffer.from('c00c000100010000003c00047f000001', 'hex');
  return Buffer.concat([head, question, ...(isA ? [record] : [])]);
}

function certificateAt(port: number) {
  return new Promise<ReturnType<ReturnType<typeof connect>['getPeerCertificate']>>(
    (resolve, reject) => {
      const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false }, () => {
        resolve(socket.getPeerCertificate());
        socket.destroy();
      });
      socket.on('error', reject);
    },
  );
}
