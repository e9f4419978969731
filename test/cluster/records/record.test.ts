import { randomBytes } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  CONTENT_BYTES_MAX,
  commitsIn,
  decodeRecord,
  encodeRecord,
  newRecordId,
  PART_BYTES,
  type Part,
  payloadsOf,
  type RealmCommit,
  type RecordHead,
} from '../../../src/cluster/records/record.ts';
import { runs } from '../../support/runs.ts';

const text = fc.string({ unit: 'grapheme', maxLength: 40 });
const count = fc.oneof(fc.nat(300), fc.nat(), fc.maxSafeNat());
/** Without -0, which msgpack writes as the integer 0. */
const double = fc.double({ noNaN: true }).map((value) => (value === 0 ? 0 : value));
const key = fc.array(fc.oneof(text, count, fc.integer(), double), { minLength: 1, maxLength: 5 });
const row = fc.oneof(
  fc.constant(null),
  fc.uint8Array({ maxLength: 400 }).map((bytes) => Buffer.from(bytes)),
);
const writes = fc.array(fc.tuple(text, fc.array(fc.tuple(key, row), { maxLength: 30 })), {
  maxLength: 8,
});
const commits: fc.Arbitrary<RealmCommit[]> = fc.array(
  fc.record({
    realmId: count,
    head: count,
    wakeAt: fc.oneof(count, fc.constant(Number.POSITIVE_INFINITY)),
    writes,
  }),
  { maxLength: 4 },
);
const id = fc.string({ minLength: 1, maxLength: 16, unit: 'binary-ascii' });
const head: fc.Arbitrary<RecordHead> = fc.record({
  epoch: count,
  id,
  former: fc.oneof(id, fc.constant('')),
  schema: count,
  at: count,
});

const HEAD: RecordHead = { epoch: 2, id: 'b', former: 'a', schema: 19, at: 1_700_000_000_000 };
const NUM_RUNS = runs({ few: 100, all: 1_000 });

const isPart = (payload: { readonly kind: string }): payload is Part => payload.kind === 'part';

test('what is encoded is decoded: writes', async () => {
  await fc.assert(
    fc.asyncProperty(head, commits, async (given, realms) => {
      const payloads = await payloadsOf({ kind: 'writes', realms });
      const decoded = payloads.map((payload) => decodeRecord(encodeRecord(given, payload)));
      expect(decoded.map((record) => record.head)).toEqual(decoded.map(() => given));
      const parts = decoded.map(({ payload }) => payload).filter(isPart);
      expect(await commitsIn(parts)).toEqual(realms);
    }),
    { numRuns: NUM_RUNS },
  );
});

test('what is encoded is decoded: all other kinds', async () => {
  const contents = [
    { kind: 'claim', node: 'node 1' },
    { kind: 'release', to: 'node 2' },
    { kind: 'release', to: null },
    { kind: 'schema', version: 20, service: '0.2.0', seed: 'ab12' },
    { kind: 'mark' },
  ] as const;
  for (const content of contents) {
    const [payload = expect.fail(), ...more] = await payloadsOf(content);
    expect(more).toEqual([]);
    expect(decodeRecord(encodeRecord(HEAD, payload))).toEqual({ head: HEAD, payload: content });
  }
});

const commitOf = (bytes: readonly Buffer[]): RealmCommit => ({
  realmId: 1,
  head: 1,
  wakeAt: Number.POSITIVE_INFINITY,
  writes: [['t', bytes.map((value, index) => [[index], value] as const)]],
});

/** No deflating makes them shorter. */
const noise = randomBytes;

test('writes are deflated where that saves something', async () => {
  const deflatedOf = async (bytes: Buffer) => {
    const [part = expect.fail()] = await payloadsOf({
      kind: 'writes',
      realms: [commitOf([bytes])],
    });
    return isPart(part) && part.isDeflated;
  };
  expect(await deflatedOf(Buffer.alloc(3_000))).toBe(false);
  expect(await deflatedOf(Buffer.alloc(5_000))).toBe(true);
  expect(await deflatedOf(noise(5_000))).toBe(false);
});

test('large writes come in parts, none of them larger than a message may be', async () => {
  const rows = [noise(10_000_000), Buffer.alloc(10), noise(1_000_000)];
  const realms = [commitOf(rows)];
  const payloads = await payloadsOf({ kind: 'writes', realms });
  expect(payloads).toHaveLength(3);
  for (const payload of payloads) {
    expect(encodeRecord(HEAD, payload).length).toBeLessThan(PART_BYTES + 1_000);
  }
  const [read = expect.fail()] = await commitsIn(payloads.filter(isPart));
  const bytes = read.writes.flatMap(([, written]) => written.map(([, row]) => row));
  expect(bytes.map((row, index) => rows[index]?.equals(row ?? noise(1)))).toEqual([
    true,
    true,
    true,
  ]);
});

test('8: bytes that are no record are an error', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      expect(() => decodeRecord(bytes)).toThrow(DAMAGED);
    }),
    { numRuns: NUM_RUNS },
  );
});

const DAMAGED = expect.objectContaining({ name: 'DamagedRecord' });

test('8: a record that was changed at any place is another record, or an error', async () => {
  const change = fc.record({ at: fc.nat(), to: fc.nat(255), cut: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(
      commits,
      fc.array(change, { minLength: 1, maxLength: 4 }),
      async (realms, changes) => {
        const [payload = expect.fail()] = await payloadsOf({ kind: 'writes', realms });
        let bytes = Buffer.from(encodeRecord(HEAD, payload));
        for (const { at, to, cut } of changes) {
          if (bytes.length === 0) continue;
          const place = at % bytes.length;
          if (cut) bytes = bytes.subarray(0, place);
          else bytes[place] = to;
        }
        try {
          const decoded = decodeRecord(bytes);
          if (isPart(decoded.payload)) await commitsIn([decoded.payload]);
        } catch (error) {
          expect(error).toEqual(DAMAGED);
        }
      },
    ),
    { numRuns: NUM_RUNS },
  );
});

test('lists that claim more than there is, and what swells beyond a bound, are errors', async () => {
  const part = (bytes: Uint8Array, isDeflated = false): Part => ({
    kind: 'part',
    part: 0,
    parts: 1,
    isDeflated,
    bytes,
  });
  await expect(commitsIn([part(Buffer.from([0xdd, 0xff, 0xff, 0xff, 0xff]))])).rejects.toEqual(
    DAMAGED,
  );
  const swelling = deflateRawSync(Buffer.alloc(CONTENT_BYTES_MAX + 1));
  await expect(commitsIn([part(swelling, true)])).rejects.toThrow('cannot be inflated');
  await expect(commitsIn([])).rejects.toEqual(DAMAGED);
});

test('a record of a later format says so', () => {
  const bytes = Buffer.from(encodeRecord(HEAD, { kind: 'mark' }));
  bytes[1] = 2;
  expect(() => decodeRecord(bytes)).toThrow('format 2');
});

test('ids are random', () => {
  const ids = Array.from({ length: 1_000 }, newRecordId);
  expect(new Set(ids).size).toBe(1_000);
  expect(ids.every((made) => /^[0-9a-f]{16}$/.test(made))).toBe(true);
});
