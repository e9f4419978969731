import { createHash } from 'node:crypto';
import { z } from 'zod';

/** A snapshot cannot be used: it is damaged, or is of something else than was asked for. */
export class SnapshotError extends Error {
  override readonly name = 'SnapshotError';
}

const FORMAT_VERSION = 1;

const count = z.int().nonnegative();
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

const place = z.strictObject({
  sequence: count,
  id: z.string().min(1).max(64),
  epoch: count,
});

/** The description of a snapshot, which is stored once the snapshot is. */
const manifest = z.strictObject({
  format: z.literal('confab snapshot'),
  format_version: z.literal(FORMAT_VERSION),
  /** The id that the cluster was founded with. */
  cluster: z.string().min(1).max(64),
  shard: count,
  realm: z.int().positive(),
  /** The newest record that it has; null for a realm that no log knows yet. */
  place: place.nullable(),
  schema: z.int().positive(),
  last_event_id: count,
  /** The key of the object with the bytes of the store, below that of all snapshots. */
  store: z.string().max(500),
  bytes: count,
  sha256,
  taken_at: z.iso.datetime(),
  node: z.string().max(200),
});
export type SnapshotManifest = z.output<typeof manifest>;

/** The description is some hundred bytes long. */
export const MANIFEST_BYTES_MAX = 16 * 1024;

type Fields = Omit<SnapshotManifest, 'format' | 'format_version'>;

/** Returns the bytes of a description, with their hash in front. */
export function encodeManifest(fields: Fields): Buffer {
  const text = JSON.stringify({
    format: 'confab snapshot',
    format_version: FORMAT_VERSION,
    ...fields,
  });
  return Buffer.from(`${hashOf(text)} ${text}\n`);
}

/** Throws `SnapshotError` for bytes that are none. */
export function decodeManifest(bytes: Buffer, key: string): SnapshotManifest {
  const [, hash, text = ''] = /^([0-9a-f]{64}) (\{.*\})\n$/.exec(bytes.toString()) ?? [];
  if (hash === undefined || hash !== hashOf(text)) {
    throw new SnapshotError(`${key} is damaged: it is not the description that was stored`);
  }
  const parsed = manifest.safeParse(JSON.parse(text));
  if (parsed.success) return parsed.data;
  throw new SnapshotError(`${key} was written by another version of confab`);
}

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');
