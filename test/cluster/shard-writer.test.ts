import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Fate } from '../../src/cluster/log/memory/faults.ts';
import { openMemoryCluster } from '../../src/cluster/log/memory/memory-cluster.ts';
import { encodeRecord, newRecordId } from '../../src/cluster/records/record.ts';
import { openRecordReader, type ReadRecord } from '../../src/cluster/records/record-reader.ts';
import { openShardWriter } from '../../src/cluster/shard-writer.ts';
import type { LoggedCommit, NotLogged, Place } from '../../storage/replication/commit-log.ts';
import { SCHEMA_VERSION } from '../../storage/schema.ts';
import { testClock } from '../support/test-clock.ts';

const commitOf = (name: string, bytes = 10): LoggedCommit => ({
  writes: [['channel_names', [[[name], Buffer.alloc(bytes, 0x90)]]]],
  head: 1,
  wakeAt: Number.POSITIVE_INFINITY,
});

const namesIn = (record: ReadRecord): (readonly [number, unknown])[] =>
  record.kind !== 'writes'
    ? []
    : record.realms.flatMap(({ realmId, writes }) =>
        writes.flatMap(([, rows]) => rows.map(([[name]]) => [realmId, name] as const)),
      );

/** A shard that this node has claimed, and one who reads its log. */
async function openTested() {
  const clock = testClock();
  const cluster = openMemoryCluster(clock);
  const node = cluster.openNode('one');
  const log = await node.openLog(0);
  const deposed: NotLogged[] = [];
  let newest: Place | null = null;

  async function claim(): Promise<Place> {
    const claimed = {
      sequence: (newest?.sequence ?? 0) + 1,
      id: newRecordId(),
      epoch: (newest?.epoch ?? 0) + 1,
    };
    const { id, epoch } = claimed;
    const head = { epoch, id, former: newest?.id ?? '', schema: SCHEMA_VERSION, at: clock.now() };
    const body = encodeRecord(head, { kind: 'claim', node: 'one' });
    const outcome = await log.append({ expected: claimed.sequence - 1, id, epoch, body });
    expect(outcome).toBe('stored');
    newest = claimed;
    return claimed;
  }
  const open = (claimed: Place) =>
    openShardWriter({
      log,
      claim: claimed,
      at: clock.now(),
      schema: SCHEMA_VERSION,
      now: () => clock.now(),
      onDeposed: (error) => void deposed.push(error),
    });
  async function read(): Promise<readonly ReadRecord[]> {
    const reader = openRecordReader(null);
    const records: ReadRecord[] = [];
    for (const stored of cluster.recordsOf(0)) {
      const record = await reader.read(stored);
      if (record !== undefined) records.push(record);
    }
    newest = reader.last();
    return records;
  }
  return { clock, cluster, node, deposed, claim, read, open, writer: open(await claim()) };
}

test('what realms bring while an append is under way goes into the next record together', async () => {
  const { writer, read } = await openTested();
  const places = await Promise.all(
    ['a', 'b', 'c', 'd'].map((name, index) => writer.commitLogOf(index).append(commitOf(name))),
  );
  const records = await read();
  expect(records.map(namesIn)).toEqual([
    [],
    [[0, 'a']],
    [
      [1, 'b'],
      [2, 'c'],
      [3, 'd'],
    ],
  ]);
  expect(places.map(({ sequence }) => sequence)).toEqual([2, 3, 3, 3]);
  expect(places.map(({ id }) => id)).toEqual(
    places.map(({ sequence }) => records[sequence - 1]?.head.id),
  );
  expect(writer.last()).toEqual(places.at(-1));
});

test('records of other kinds are behind the commits that came before them', async () => {
  const { writer, read } = await openTested();
  const log = writer.commitLogOf(1);
  await Promise.all([
    log.append(commitOf('a')),
    log.append(commitOf('b')),
    writer.append({ kind: 'mark' }),
    log.append(commitOf('c')),
    writer.append({ kind: 'release', to: 'two' }),
  ]);
  expect((await read()).map(({ kind }) => kind)).toEqual([
    'claim',
    'writes',
    'writes',
    'mark',
    'writes',
    'release',
  ]);
});

test('times never run backwards, though the clock of the owner may', async () => {
  const { clock, writer, read } = await openTested();
  const begun = clock.now();
  clock.advance(1_000);
  await writer.append({ kind: 'mark' });
  clock.advance(-5_000);
  await writer.append({ kind: 'mark' });
  expect((await read()).map(({ head }) => head.at - begun)).toEqual([0, 1_000, 1_000]);
  // The next claim begins there.
  expect(writer.at() - begun).toBe(1_000);
});

test('a large commit comes in parts, and counts from its last part on', async () => {
  const { writer, read, cluster } = await openTested();
  const bytes = randomBytes(9_000_000);
  const commit = { ...commitOf('a'), writes: [['channel_names', [[['a'], bytes]]]] as const };
  const place = await writer.commitLogOf(1).append(commit);
  expect(place.sequence).toBe(cluster.recordsOf(0).length);
  expect(place.sequence).toBeGreaterThan(2);
  const records = await read();
  expect(records.map(({ kind }) => kind)).toEqual(['claim', 'writes']);
  expect(records[1]?.place).toEqual(place);
  await writer.commitLogOf(1).append(commitOf('b'));
  expect((await read()).map(namesIn)).toEqual([[], [[1, 'a']], [[1, 'b']]]);
});

test('a claim in between voids the parts of a commit, and whoever waits is answered that nothing is stored', async () => {
  const { writer, read, node, claim, deposed, open } = await openTested();
  const bytes = randomBytes(9_000_000);
  let attempts = 0;
  node.faults.onAttempt = async (): Promise<Fate> => {
    attempts += 1;
    if (attempts !== 2) return 'arrives';
    node.faults.onAttempt = undefined;
    await read();
    await claim();
    return 'arrives';
  };
  const large = { ...commitOf('a'), writes: [['channel_names', [[['a'], bytes]]]] as const };
  const settled = await Promise.allSettled([
    writer.commitLogOf(1).append(large),
    writer.commitLogOf(2).append(commitOf('b')),
  ]);
  expect(settled).toMatchObject([
    { status: 'rejected', reason: { name: 'NotLogged', isUnknown: false } },
    { status: 'rejected', reason: { name: 'NotLogged', isUnknown: false } },
  ]);
  expect(deposed).toHaveLength(1);
  await expect(writer.append({ kind: 'mark' })).rejects.toMatchObject({ isUnknown: false });
  expect(deposed).toHaveLength(1);
  const [, next = expect.fail()] = (await read()).filter(({ kind }) => kind === 'claim');
  const owner = open(next.place);
  await owner.commitLogOf(1).append(commitOf('c'));
  expect((await read()).map(namesIn)).toEqual([[], [], [[1, 'c']]]);
});

test('nobody is answered when the log does not answer: what was under way may be stored, what waited is not', async () => {
  const { writer, read, node, deposed, clock } = await openTested();
  node.faults.onAttempt = () => 'unanswered';
  const settling = Promise.allSettled([
    writer.commitLogOf(1).append(commitOf('a')),
    writer.commitLogOf(2).append(commitOf('b')),
  ]);
  for (let second = 0; second < 15; second++) {
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(1_000);
  }
  expect(await settling).toMatchObject([
    { status: 'rejected', reason: { name: 'NotLogged', isUnknown: true } },
    { status: 'rejected', reason: { name: 'NotLogged', isUnknown: false } },
  ]);
  expect(deposed).toMatchObject([{ isUnknown: true }]);
  expect((await read()).map(namesIn)).toEqual([[], [[1, 'a']]]);
});

test('a writer that is closed ends the append under way and takes no other', async () => {
  const { writer, read, deposed } = await openTested();
  const log = writer.commitLogOf(1);
  const [first, second] = [log.append(commitOf('a')), log.append(commitOf('b'))];
  const refused = expect(second).rejects.toMatchObject({ isUnknown: false });
  await writer.close();
  await refused;
  expect(await first).toEqual(writer.last());
  await expect(log.append(commitOf('c'))).rejects.toThrow('closed');
  expect((await read()).map(namesIn)).toEqual([[], [[1, 'a']]]);
  expect(deposed).toEqual([]);
});

test('a reader notices a record that does not follow the one before it, or is not the one of its place', async () => {
  const { writer, cluster } = await openTested();
  await writer.append({ kind: 'mark' });
  await writer.append({ kind: 'mark' });
  const [first, second, third] = cluster.recordsOf(0);
  if (first === undefined || second === undefined || third === undefined) expect.fail();
  const behind = { sequence: first.sequence, id: first.id, epoch: first.epoch };
  expect(await openRecordReader(behind).read(second)).toMatchObject({ kind: 'mark' });
  for (const wrong of [
    third,
    { ...third, sequence: 2 },
    { ...second, id: third.id },
    { ...second, epoch: 7 },
  ]) {
    await expect(openRecordReader(behind).read(wrong)).rejects.toMatchObject({
      name: 'DamagedRecord',
    });
  }
  const elsewhere = { ...behind, id: 'of another log' };
  await expect(openRecordReader(elsewhere).read(second)).rejects.toThrow('does not follow');
});

test('nothing is appended behind a mark until it was noted, and then all that waits is', async () => {
  const { writer, read } = await openTested();
  const noted: unknown[] = [];
  let release = () => {};
  const first = writer.commitLogOf(1).append(commitOf('a'));
  const marked = writer.mark(async (place, lastOf) => {
    noted.push({ ...place, ofOne: lastOf(1), ofTwo: lastOf(2) });
    await new Promise<void>((resolve) => {
      release = resolve;
    });
  });
  const place = await marked;
  const second = writer.commitLogOf(2).append(commitOf('b'));
  const third = writer.commitLogOf(3).append(commitOf('c'));
  expect(noted).toEqual([{ ...place, ofOne: (await first).sequence, ofTwo: 0 }]);
  expect((await read()).map(({ kind }) => kind)).toEqual(['claim', 'writes', 'mark']);
  release();
  expect(await Promise.all([second, third])).toMatchObject([
    { sequence: place.sequence + 1 },
    { sequence: place.sequence + 1 },
  ]);
  expect((await read()).flatMap(namesIn)).toEqual([
    [1, 'a'],
    [2, 'b'],
    [3, 'c'],
  ]);
});
