import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openNatsCluster } from '../../../src/cluster/log/nats/nats-cluster.ts';
import { streamOf, subjectOf } from '../../../src/cluster/log/nats/nats-streams.ts';
import { syncingOf } from '../../../src/cluster/log/nats/nats-syncs.ts';
import { fill, follow } from '../../support/cluster/log/records.ts';
import { type Accounts, makeAccounts } from '../../support/cluster/nats-accounts.ts';
import { isNatsMissing, type NatsOptions, startNats } from '../../support/cluster/nats-servers.ts';
import { openStreams } from '../../support/cluster/streams.ts';
import { FORMER, NEW } from '../../support/files/live-certificates.ts';
import { temporaryFolder } from '../../support/scratch.ts';

async function started(options: NatsOptions) {
  const servers = await startNats(options);
  onTestFinished(() => servers.close());
  const monitors = servers.urls.map((_, number) => servers.monitor(number));
  return { servers, monitors };
}

/** A server that introduces itself, as NATS does, and answers pings. */
async function introduced(info: Readonly<Record<string, unknown>>): Promise<string> {
  const server = net.createServer((socket) => {
    socket.on('error', () => {});
    socket.write(`INFO ${JSON.stringify({ server_id: 'x', server_name: 'old', ...info })}\r\n`);
    socket.on('data', () => socket.write('PONG\r\n'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo; // an address of a TCP server has a port
  return `nats://127.0.0.1:${port}`;
}

const open = (servers: readonly string[], more: object = {}) =>
  openNatsCluster({ servers, node: 'test', ...more });

test.each([
  [{ version: '2.11.4' }, 'The NATS server old is 2.11.4; 2.12.3 is needed.'],
  [{ version: '2.12.2' }, 'The NATS server old is 2.12.2; 2.12.3 is needed.'],
  [{ version: '1.13.9' }, 'The NATS server old is 1.13.9; 2.12.3 is needed.'],
  [{ version: '2.12.3' }, 'The NATS server old has no JetStream.'],
  [{ version: '2.13.0-RC.1' }, 'The NATS server old has no JetStream.'],
  [{ version: '3.0.0' }, 'The NATS server old has no JetStream.'],
  [
    { version: '2.12.15', jetstream: true },
    'The NATS server old takes 1048576 bytes; set max_payload: 8MB.',
  ],
])('a server that introduces itself with %j is not used', async (fields, message) => {
  const server = await introduced({ max_payload: 1_048_576, headers: true, proto: 1, ...fields });
  await expect(open([server])).rejects.toThrow(message);
});

test.each([[[]], [['http://localhost:4222']], [['nats://a', 'tls://b']]])(
  'servers %j are refused',
  async (servers) => {
    await expect(open(servers)).rejects.toThrow('Give the URLs of the NATS servers');
  },
);

test('how a server syncs is not known where nobody tells it, or tells nonsense', async () => {
  const server = createServer((_, answer) => answer.end('{"jetstream":{}}'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo; // an address of a TCP server has a port
  const syncing = await syncingOf([], [`http://127.0.0.1:${port}`, 'http://127.0.0.1:1']);
  expect([...syncing.values()]).toEqual(['unknown', 'unknown']);
});

describe.skipIf(isNatsMissing)('real servers', () => {
  test('three that sync always are used, and the monitoring ports are asked', async () => {
    const { servers, monitors } = await started({});
    expect([...(await syncingOf([], monitors)).values()]).toEqual(['always', 'always', 'always']);
    const notices: string[] = [];
    const node = await open(servers.urls, { onNotice: (notice: string) => notices.push(notice) });
    await node.close();
    // Port 8222 is that of nobody here.
    expect(notices[0]).toContain('It cannot be seen at http://127.0.0.1:8222');
    await (await open(servers.urls, { monitors })).close();
  });

  test('one of several that is too old is refused, whichever the node is connected to', async () => {
    const { servers, monitors } = await started({ count: 1 });
    const old = await introduced({ version: '2.12.2', max_payload: 8_388_608, jetstream: true });
    const newer = await introduced({ version: '3.0.0', max_payload: 8_388_608, jetstream: true });
    const known = [...servers.urls, newer, old, 'nats://127.0.0.1:1'];
    await expect(open(known, { monitors, isUnsafe: true })).rejects.toThrow(
      'The NATS server old is 2.12.2; 2.12.3 is needed.',
    );
  });

  test('an operator hears of one that is too old when the node comes to it later', async () => {
    const { servers, monitors } = await started({ count: 1 });
    const { port } = new URL((servers.urls[0] ?? '').replace('nats:', 'http:'));
    const sockets: net.Socket[] = [];
    let isOld = false;
    const between = net.createServer((client) => {
      const server = net.connect(Number(port), '127.0.0.1');
      sockets.push(client, server);
      client.on('error', () => server.destroy()).pipe(server);
      server.on('error', () => client.destroy());
      server.on('data', (chunk: Buffer) => {
        const said = chunk.toString('latin1');
        const told = isOld ? said.replace(/"version":"[^"]+"/, '"version":"2.12.2"') : said;
        client.write(Buffer.from(told, 'latin1'));
      });
    });
    await new Promise<void>((resolve) => between.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void between.close());
    const url = `nats://127.0.0.1:${(between.address() as AddressInfo).port}`;
    const notices: string[] = [];
    const onNotice = (notice: string) => notices.push(notice);
    const node = await open([url], { monitors, isUnsafe: true, onNotice });
    onTestFinished(() => node.close());
    expect(notices).toEqual([]);
    isOld = true;
    for (const socket of sockets) socket.destroy();
    await expect
      .poll(() => notices, { timeout: 20_000 })
      .toContainEqual(
        expect.stringMatching(/^The NATS server \S+ is 2\.12\.2; 2\.12\.3 is needed\.$/),
      );
  });

  test('one that is seen to sync later is refused, unless that is allowed', async () => {
    const { servers, monitors } = await started({ count: 1, sync: 'default' });
    await expect(open(servers.urls, { monitors })).rejects.toThrow(
      `The NATS server at ${monitors[0]} confirms records before they are on its disk.`,
    );
    const node = await open(servers.urls, { monitors, isUnsafe: true });
    const log = await node.openLog(3);
    await fill(log, 2);
    expect(await log.last()).toBe(2);
    await node.close();
  });

  test('one server alone is refused, unless that is allowed', async () => {
    const { servers, monitors } = await started({ count: 1 });
    await expect(open(servers.urls, { monitors })).rejects.toThrow(
      /needs 3 NATS servers with JetStream/,
    );
  });

  test('a stream that loses records is refused, and one with too few replicas', async () => {
    const { servers, monitors } = await started({});
    const streams = await openStreams(servers);
    onTestFinished(() => streams.close());
    const node = await open(servers.urls, { monitors });
    onTestFinished(() => node.close());
    await streams.jsm.streams.add({
      name: streamOf(1),
      subjects: [subjectOf(1)],
      num_replicas: 1,
      max_msgs: 1_000,
    });
    await expect(node.openLog(1)).rejects.toThrow(
      'The stream CONFAB_S01 does not fit: it has 1 replicas, and 3 are needed; ' +
        'it is limited in records, bytes or age, and would lose records; ' +
        'it does not republish to confab.tail.01.',
    );
    await streams.jsm.streams.delete(streamOf(1));
    await fill(await node.openLog(1), 1);
  });

  test('an account by user and password is used, and a wrong one is refused at once', async () => {
    const { servers, monitors } = await started({
      count: 1,
      lines: ['authorization { user: confab, password: "s3cr3t" }'],
    });
    const withUser = (user: string) =>
      servers.urls.map((url) => url.replace('nats://', `nats://${user}@`));
    await expect(open(servers.urls, { monitors, isUnsafe: true })).rejects.toThrow(
      /None of the NATS servers .* was reached/,
    );
    await expect(open(withUser('confab:wrong'), { isUnsafe: true })).rejects.toThrow(
      /None of the NATS servers (?!.*wrong@)/,
    );
    const node = await open(withUser('confab:s3cr3t'), { isUnsafe: true });
    const log = await node.openLog(0);
    await fill(log, 1);
    const followed = follow(log);
    await expect.poll(() => followed.records.length).toBe(1);
    await node.close();
  });

  test('a server by tls:// is used if its certificate is vouched for', async () => {
    const { servers } = await started({
      count: 1,
      lines: [`tls { cert_file: "${FORMER.cert}", key_file: "${FORMER.key}" }`],
    });
    const urls = servers.urls.map((url) => url.replace('nats://', 'tls://'));
    await expect(open(urls, { isUnsafe: true })).rejects.toThrow(/was reached: .*certificate/);
    const node = await open(urls, { isUnsafe: true, authorities: FORMER.cert });
    await fill(await node.openLog(0), 1);
    await node.close();
    // One whose certificate is for another address is not the server that was meant.
    const other = await started({
      count: 1,
      places: [{ address: '127.0.0.2', prefix: [] }],
      lines: [`tls { cert_file: "${NEW.cert}", key_file: "${NEW.key}" }`],
    });
    const named = other.servers.urls.map((url) => url.replace('nats://', 'tls://'));
    await expect(open(named, { isUnsafe: true, authorities: NEW.cert })).rejects.toThrow(
      /was reached: .*altnames/,
    );
    // A server without TLS is not used in its place.
    const plain = await started({ count: 1 });
    const unsafe = plain.servers.urls.map((url) => url.replace('nats://', 'tls://'));
    await expect(open(unsafe, { isUnsafe: true })).rejects.toThrow(/was reached: .*tls/i);
  });

  test('an account by a file with credentials is used, and another one is refused', async () => {
    const accounts = makeAccounts();
    const { servers } = await started({ count: 1, lines: accounts.lines });
    const folder = temporaryFolder();
    const fileOf = (name: string, { credentials }: Accounts) => {
      writeFileSync(join(folder, name), credentials);
      return join(folder, name);
    };
    const right = fileOf('right.creds', accounts);
    const node = await open(servers.urls, { isUnsafe: true, credentials: right });
    await fill(await node.openLog(0), 2);
    await node.close();
    const wrong = fileOf('wrong.creds', makeAccounts());
    await expect(open(servers.urls, { isUnsafe: true, credentials: wrong })).rejects.toThrow(
      /was reached: .*authorization/i,
    );
    await expect(
      open(servers.urls, { isUnsafe: true, credentials: join(folder, 'none') }),
    ).rejects.toThrow('no such file');
  });
});
