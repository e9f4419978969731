import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { type Client, openClient } from '../../support/client.ts';
import { isNatsMissing } from '../../support/cluster/nats-servers.ts';
import {
  type Here,
  openNatsMachines,
  openPage,
  openTypist,
  type Typist,
} from '../../support/cluster/page-of-clusters.ts';
import { BUCKET, hasGateway, startGateway } from '../../support/files/object-service.ts';
import { download, uploaded } from '../../support/files/uploads.ts';
import { temporaryFolder } from '../../support/scratch.ts';
import type { Person } from '../../support/users.ts';

const HOST = 'main.localhost';
const LONG = { timeout: 30_000, interval: 100 };
/** The shard of the first realm, which the page moves. */
const SHARD = 5;

test.runIf(!isNatsMissing && hasGateway())(
  'each block of docs/cluster.md: a server becomes a cluster, which loses NATS, and a server again',
  async () => {
    const page = openPage('docs/cluster.md');
    const nats = await openNatsMachines();
    const gateway = await startGateway();
    const etc = temporaryFolder();
    writeFileSync(join(etc, 's3-key'), `${gateway.s3.secretAccessKey}\n`);
    makeAuthority(etc, nats.addresses);
    const single = temporaryFolder();
    let isTls = false;

    /** A machine with a node: its directory is its own, and so are its name and its address. */
    const machine = async (number: number, isNode = () => true) => {
      const data = temporaryFolder();
      const here: Here = [
        ...nats.here,
        ['/var/lib/confab-node', data],
        ['/var/lib/confab', single],
        ['/etc/confab', etc],
        ['10.0.0.5', nats.addresses[0]?.replace(/1$/, `${10 + number}`) ?? ''],
        [/CONFAB_NODE=node1/g, `CONFAB_NODE=node${number}`],
        ['https://storage.example.com', gateway.s3.endpoint],
        ['s3://chat-files', `s3://${BUCKET}`],
        ['ACCESS_KEY_ID=confab', `ACCESS_KEY_ID=${gateway.s3.accessKeyId}`],
      ];
      const block = (name: string) => page.block(name, here);
      const settings = () => [
        ...(isNode() ? [block('node')] : []),
        ...(isTls ? [block('tls')] : []),
      ];
      const typist = await openTypist(settings);
      return { data, block, ...clientAt(typist), ...typist };
    };
    const startNats = () =>
      nats.start(
        nats.addresses.map((address, number) =>
          ['nats.conf', ...(isTls ? ['tls.conf'] : [])]
            .map((name) =>
              page.block(name, [
                ...nats.here,
                ['server_name: n1', `server_name: n${number + 1}`],
                ['0.0.0.0', address],
                ['/var/lib/nats', join(nats.folderOf(number), 'nats')],
                ['/etc/nats', etc],
              ]),
            )
            .join(''),
        ),
        page.block('nats', []),
      );

    // A server by itself, with people, a file, a message, and a client that listens.
    let isNode = false;
    const first = await machine(1, () => isNode);
    const typedThere = `export CONFAB_DATA=${single}\n`;
    const [owner] = await first.type(
      `${typedThere}confab init --email ada@example.com --name Ada --password correct-horse-9`,
    );
    const [made] = await first.type(
      `${typedThere}confab user create --realm main --email mel@example.com --name Mel`,
    );
    const ada = personOf('ada', 'Ada', owner);
    const mel = personOf('mel', 'Mel', made);
    await first.serve(typedThere, 'confab serve');
    const queue = await first.register(mel, { event_types: ['message'] });
    const url = await uploaded(first, ada, { content: 'kept' });
    const sent: number[] = [];
    const say = async (at: Client, content: string) => {
      const { body } = await at.post(ada, '/messages', { type: 'direct', to: [mel.id], content });
      expect(body).toMatchObject({ result: 'success' });
      sent.push(body.id);
    };
    /** The queue that was registered at the server goes on, wherever its client comes. */
    const heard = async (at: Client, content: string) => {
      const resumed = at.queue(mel, queue.id, queue.lastEventId);
      const [event] = await resumed.next();
      expect(event).toMatchObject({ message: { content: expect.stringContaining(content) } });
      queue.lastEventId = resumed.lastEventId;
    };
    const allThere = async (at: Client & { readonly app: { readonly port: number } }) => {
      for (const id of sent) expect((await at.get(mel, `/messages/${id}`)).status).toBe(200);
      const file = await download(at, url, { as: mel, host: HOST });
      expect(String(file.bytes)).toBe('kept');
    };
    await say(first, `[file](${url})`);
    await first.stop();

    // It becomes a cluster.
    isNode = true;
    await startNats();
    const adopted = await first.type(first.block('adopt'));
    expect(adopted).toMatchObject([{ realm: 1, shard: SHARD, files: 1 }]);
    expect(existsSync(join(single, 'realms.adopted', '1'))).toBe(true);
    const second = await machine(2);
    await first.serve(first.block('serve'));
    await owns(first, SHARD, 'node1');
    await second.serve(second.block('serve'));
    await heard(second, 'file');
    for (const node of [first, second]) await allThere(node);
    expect(await first.type(first.block('create'))).toMatchObject([{ realm_id: 2 }]);

    // While it runs.
    await say(second, 'before the move');
    await first.type(first.block('move'));
    await owns(first, SHARD, 'node2');
    await heard(first, 'before the move');
    // Both nodes hold it by themselves.
    expect(await first.type(first.block('unpin'))).toEqual([{ shard: SHARD, was_pinned_to: null }]);
    for (const round of ['one', 'two']) {
      await say(first, `before snapshot ${round}`);
      const taken = await vi.waitFor(() => first.type(first.block('snapshot')), LONG);
      expect(taken).toContainEqual(expect.objectContaining({ shard: SHARD, realm: 1 }));
      await heard(second, round);
    }
    expect(await nats.firstOf(SHARD)).toBeGreaterThan(1);
    const third = await machine(3);
    await third.serve(third.block('serve'));
    await allThere(third);
    await say(third, 'by the third');
    await heard(third, 'by the third');
    for (const { is_equal, rows } of await third.type(third.block('verify'))) {
      expect(is_equal).toBe(true);
      expect(rows).toBeGreaterThanOrEqual(0);
    }
    const upgraded = await second.type(second.block('upgrade'));
    expect(upgraded).toHaveLength(32);
    expect(new Set(upgraded.map(({ schema }) => schema)).size).toBe(1);
    // The page says to repeat it until there are no copies left.
    await vi.waitFor(async () => {
      const drained = await first.type(first.block('drain'));
      expect(drained).toMatchObject([{ node: 'node1', is_drained: true, copies: 0 }]);
    }, LONG);
    await first.stop();
    await first.serve(first.block('serve'));
    expect(await linesOf(first, 'node1')).toMatchObject([{ is_drained: true, copies: 0 }]);
    await first.type(first.block('undrain'));
    await vi.waitFor(async () => {
      const [line] = await linesOf(first, 'node1');
      expect(line).toMatchObject({ is_drained: false });
      expect(line).not.toMatchObject({ copies: 0 });
    }, LONG);

    // NATS loses everything.
    await nats.lose();
    await Promise.all([first, second, third].map((node) => node.stop()));
    isTls = true;
    await startNats();
    const begun = (
      await Promise.all([first, second, third].map((node) => node.type(node.block('rebuild'))))
    ).flat();
    expect(begun).toContainEqual(expect.objectContaining({ shard: SHARD, realms: [1] }));
    // All say the same of each shard.
    const said = begun.map((line) => {
      const { shard, begun_by } = line as { shard: number; begun_by: string };
      return `${shard} by ${begun_by}`;
    });
    const shards = new Set(begun.map((line) => (line as { shard: number }).shard));
    expect(new Set(said).size).toBe(shards.size);
    for (const node of [first, second]) await node.serve(node.block('rebuilt'));
    for (const node of [first, second]) await allThere(node);
    await say(first, 'after the loss');
    await heard(second, 'after the loss');

    // Back to one machine, which has to have everything.
    await vi.waitFor(async () => {
      expect(await linesOf(second, 'node2')).toMatchObject([{ copies: 32 }]);
    }, LONG);
    await first.stop();
    await second.stop();
    expect(await second.type(second.block('leave'))).toMatchObject([
      { realm: 1, names: ['main'], files: 1 },
      { realm: 2, names: ['second'] },
    ]);
    await nats.lose();
    await second.serve(second.block('alone'));
    await allThere(second);
    await say(second, 'alone again');
    await heard(second, 'alone again');
    expect(readdirSync(join(second.data, 'realms')).sort()).toEqual(['1', '2']);
    await second.stop();

    expect(page.unused()).toEqual([]);

    async function linesOf(at: Machine, node: string) {
      const [nodes = ''] = at.block('status').split(/(?=^confab cluster status)/m);
      return (await at.type(nodes)).filter((line) => 'node' in line && line['node'] === node);
    }
    async function owns(at: Machine, shard: number, node: string) {
      await vi.waitFor(async () => {
        const lines = await at.type(at.block('status'));
        expect(lines).toContainEqual(expect.objectContaining({ shard, owner: node }));
      }, LONG);
    }
    type Machine = Awaited<ReturnType<typeof machine>>;
  },
);

const clientAt = ({ port }: Typist) => ({ ...openClient(() => port, HOST), app: { port } });

function personOf(name: string, fullName: string, line: object | undefined): Person {
  const { user_id = 1, api_key } = line as { user_id?: number; api_key: string };
  return { id: user_id, email: `${name}@example.com`, fullName, apiKey: api_key };
}

/** Makes an authority of one's own, and a certificate of it for the machines of NATS. */
function makeAuthority(folder: string, addresses: readonly string[]) {
  const file = (name: string) => join(folder, name);
  const make = (...words: readonly string[]) =>
    execFileSync(
      'openssl',
      [
        'req',
        '-x509',
        '-newkey',
        'ec',
        '-pkeyopt',
        'ec_paramgen_curve:prime256v1',
        '-nodes',
        ...words,
      ],
      { stdio: 'ignore' },
    );
  make('-keyout', file('ca-key.pem'), '-out', file('ca.pem'), '-subj', '/CN=Test authority');
  const names = addresses.map((address) => `IP:${address}`).join();
  make(
    ...['-CA', file('ca.pem'), '-CAkey', file('ca-key.pem'), '-subj', '/CN=nats'],
    ...['-addext', `subjectAltName=${names}`, '-addext', 'basicConstraints=critical,CA:FALSE'],
    ...['-keyout', file('key.pem'), '-out', file('cert.pem')],
  );
}
