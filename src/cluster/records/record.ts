import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { constants, deflateRaw, inflateRaw } from 'node:zlib';
import { Packr } from 'msgpackr';
import {
  DamagedRecord,
  type LoggedCommit,
  type WriteSet,
  type WrittenRow,
} from '../../../storage/replication/commit-log.ts';
import { MsgpackReader } from './msgpack-reader.ts';

/**
 * A record of the log of a shard, as its bytes are: a msgpack list of
 *
 *     1, kind, epoch, id, former, schema, at, …
 *
 * and of what its kind says. A claim has the name of the node, a release that of the node to which
 * it goes or nil; a schema record has the version of the tables, that of confab, and a seed for
 * secrets; a mark has nothing. Writes have the number of the part, the number of parts, whether the
 * content is deflated (1 or 0), and the bytes of the part. The parts together are the content, a
 * list of
 *
 *     [realm, head, wakeAt or nil, [table, [key, row or nil, key, row or nil, …], table, …]]
 */
export interface RecordHead {
  /** The epoch of the owner who wrote it. */
  readonly epoch: number;
  readonly id: string;
  /** The id of the record before it in the log; empty in the first one. */
  readonly former: string;
  /** The version of the tables that its writes are of. */
  readonly schema: number;
  /** UNIX milliseconds by the clock of the owner; never less than in the record before. */
  readonly at: number;
}

export interface RealmCommit extends LoggedCommit {
  readonly realmId: number;
}

export type RecordContent =
  | { readonly kind: 'writes'; readonly realms: readonly RealmCommit[] }
  | { readonly kind: 'claim'; readonly node: string }
  | { readonly kind: 'release'; readonly to: string | null }
  | SchemaContent
  | { readonly kind: 'mark' };

/** The stores of the shard have another schema behind this record: each holder migrates its own. */
export interface SchemaContent {
  readonly kind: 'schema';
  readonly version: number;
  /** The version of confab that wrote it. */
  readonly service: string;
  /** Secrets that migrations make are made of it. */
  readonly seed: string;
}

/** A part of writes that take several records; each part is a record of its own. */
export interface Part {
  readonly kind: 'part';
  /** Counted from 0. */
  readonly part: number;
  readonly parts: number;
  readonly isDeflated: boolean;
  readonly bytes: Uint8Array;
}

/** Stands beside the head of a record. */
export type Payload = Exclude<RecordContent, { kind: 'writes' }> | Part;

export interface DecodedRecord {
  readonly head: RecordHead;
  readonly payload: Payload;
}

const FORMAT = 1;
const KINDS = { writes: 0, claim: 1, release: 2, schema: 3, mark: 4 } as const;

/** Deflating less saves nothing that matters. */
const DEFLATED_FROM = 4 * 1024;
/** NATS takes 8 MB at most, and a long message holds up those behind it. */
export const PART_BYTES = 4 * 1024 * 1024;
/** The content of a record: an operation of 64 MiB, in a commit that had 4 MiB before it. */
export const CONTENT_BYTES_MAX = 80 * 1024 * 1024;
const PARTS_MAX = CONTENT_BYTES_MAX / PART_BYTES;
/** So many rows, of 32 bytes with their keys, fill the content. */
const ROWS_MAX = CONTENT_BYTES_MAX / 32;
const NODE_NAME_LENGTH_MAX = 200;
const ID_LENGTH_MAX = 64;
const SCHEMA_TEXT_LENGTH_MAX = 64;

/** 64 random bits: a former life of this process cannot have had it. */
export const newRecordId = (): string => randomBytes(8).toString('hex');

const packr = new Packr({ useRecords: false });
const deflated = promisify<Uint8Array, { level: number }, Buffer>(deflateRaw);
const inflated = promisify<Uint8Array, { maxOutputLength: number }, Buffer>(inflateRaw);

/** Returns what the records of a content hold: one, or the parts of large writes. */
export async function payloadsOf(content: RecordContent): Promise<readonly Payload[]> {
  if (content.kind !== 'writes') return [content];
  const plain = packr.pack(content.realms.map(packedRealm));
  if (plain.length > CONTENT_BYTES_MAX) {
    throw new RangeError(`a commit of ${plain.length} bytes is too long for the log`);
  }
  const small =
    plain.length < DEFLATED_FROM ? plain : await deflated(plain, { level: constants.Z_BEST_SPEED });
  const isDeflated = small.length < plain.length;
  const bytes = isDeflated ? small : plain;
  const parts = Math.ceil(bytes.length / PART_BYTES);
  return Array.from({ length: parts }, (_, part) => ({
    kind: 'part',
    part,
    parts,
    isDeflated,
    bytes: bytes.subarray(part * PART_BYTES, (part + 1) * PART_BYTES),
  }));
}

const packedRealm = ({ realmId, head, wakeAt, writes }: RealmCommit) => [
  realmId,
  head,
  wakeAt === Number.POSITIVE_INFINITY ? null : wakeAt,
  packedWrites(writes),
];

function packedWrites(writes: WriteSet): unknown[] {
  const packed: unknown[] = [];
  for (const [table, rows] of writes) {
    const flat: unknown[] = [];
    for (const [key, row] of rows) flat.push(key, row);
    packed.push(table, flat);
  }
  return packed;
}

export function encodeRecord(head: RecordHead, payload: Payload): Uint8Array {
  const { epoch, id, former, schema, at } = head;
  const kind = KINDS[payload.kind === 'part' ? 'writes' : payload.kind];
  return packr.pack([FORMAT, kind, epoch, id, former, schema, at, ...fieldsOf(payload)]);
}

function fieldsOf(payload: Payload): readonly unknown[] {
  switch (payload.kind) {
    case 'part':
      return [payload.part, payload.parts, payload.isDeflated ? 1 : 0, payload.bytes];
    case 'claim':
      return [payload.node];
    case 'release':
      return [payload.to];
    case 'schema':
      return [payload.version, payload.service, payload.seed];
    case 'mark':
      return [];
  }
}

/** Throws `DamagedRecord` for bytes that are none. */
export function decodeRecord(bytes: Uint8Array): DecodedRecord {
  const reader = new MsgpackReader(bytes);
  const length = reader.list();
  if (length < HEAD_LENGTH) throw new DamagedRecord('a record has no head');
  const format = reader.count();
  if (format !== FORMAT) throw new DamagedRecord(`a record has format ${format}, not ${FORMAT}`);
  const kind = reader.count();
  const head = {
    epoch: reader.count(),
    id: bounded(reader.text(), ID_LENGTH_MAX),
    former: bounded(reader.text(), ID_LENGTH_MAX),
    schema: reader.count(),
    at: reader.count(),
  };
  if (head.id === '') throw new DamagedRecord('a record has no id');
  const payload = payloadIn(reader, kind);
  if (length !== HEAD_LENGTH + fieldsOf(payload).length) {
    throw new DamagedRecord('a record has other fields than its kind');
  }
  reader.end();
  return { head, payload };
}

const HEAD_LENGTH = 7;

function payloadIn(reader: MsgpackReader, kind: number): Payload {
  switch (kind) {
    case KINDS.writes:
      return partIn(reader);
    case KINDS.claim:
      return { kind: 'claim', node: bounded(reader.text(), NODE_NAME_LENGTH_MAX) };
    case KINDS.release: {
      const to = reader.textOrNil();
      return { kind: 'release', to: to === null ? null : bounded(to, NODE_NAME_LENGTH_MAX) };
    }
    case KINDS.schema:
      return {
        kind: 'schema',
        version: reader.count(),
        service: bounded(reader.text(), SCHEMA_TEXT_LENGTH_MAX),
        seed: bounded(reader.text(), SCHEMA_TEXT_LENGTH_MAX),
      };
    case KINDS.mark:
      return { kind: 'mark' };
    default:
      throw new DamagedRecord(`a record is of kind ${kind}, which nobody knows`);
  }
}

function partIn(reader: MsgpackReader): Part {
  const part = reader.count();
  const parts = reader.count();
  const flag = reader.count();
  const bytes = reader.binary();
  if (parts < 1 || parts > PARTS_MAX || part >= parts) {
    throw new DamagedRecord(`a record is part ${part + 1} of ${parts}`);
  }
  if (flag > 1) throw new DamagedRecord('a record is deflated in a way that nobody knows');
  if (bytes.length > PART_BYTES) throw new DamagedRecord('a part of a record is too long');
  return { kind: 'part', part, parts, isDeflated: flag === 1, bytes };
}

function bounded(text: string, lengthMax: number): string {
  if (text.length > lengthMax) throw new DamagedRecord('a record has a text that is too long');
  return text;
}

/** Reads the commits that are in the parts of writes. Rejects with `DamagedRecord`. */
export async function commitsIn(parts: readonly Part[]): Promise<readonly RealmCommit[]> {
  const [first] = parts;
  if (first === undefined) throw new DamagedRecord('writes have no part');
  const whole = parts.length === 1 ? first.bytes : Buffer.concat(parts.map(({ bytes }) => bytes));
  return realmsIn(first.isDeflated ? await plainOf(whole) : whole);
}

async function plainOf(bytes: Uint8Array): Promise<Uint8Array> {
  try {
    return await inflated(bytes, { maxOutputLength: CONTENT_BYTES_MAX });
  } catch (error) {
    throw new DamagedRecord(`a record cannot be inflated: ${String(error)}`);
  }
}

function realmsIn(bytes: Uint8Array): readonly RealmCommit[] {
  const reader = new MsgpackReader(bytes);
  const room = { rows: ROWS_MAX };
  const commits: RealmCommit[] = [];
  for (let left = reader.list(); left > 0; left--) {
    if (reader.list() !== 4) throw new DamagedRecord('a commit has other fields than four');
    commits.push({
      realmId: reader.count(),
      head: reader.count(),
      wakeAt: reader.numberOrNil() ?? Number.POSITIVE_INFINITY,
      writes: writesIn(reader, room),
    });
  }
  reader.end();
  return commits;
}

function writesIn(reader: MsgpackReader, room: { rows: number }): WriteSet {
  const writes: (readonly [string, readonly WrittenRow[]])[] = [];
  for (let left = evenList(reader); left > 0; left -= 2) {
    const table = reader.text();
    const rows: WrittenRow[] = [];
    for (let rest = evenList(reader); rest > 0; rest -= 2) {
      room.rows -= 1;
      if (room.rows < 0) throw new DamagedRecord('a record has too many rows');
      rows.push([keyIn(reader), reader.bytesOrNil()]);
    }
    writes.push([table, rows]);
  }
  return writes;
}

function evenList(reader: MsgpackReader): number {
  const length = reader.list();
  if (length % 2 !== 0) throw new DamagedRecord('a record has a name or key without its value');
  return length;
}

/** No table has a key of more parts. */
const KEY_PARTS_MAX = 16;

function keyIn(reader: MsgpackReader): (string | number)[] {
  const length = reader.list();
  if (length < 1 || length > KEY_PARTS_MAX)
    throw new DamagedRecord('a key has no parts, or more than one may');
  const key: (string | number)[] = [];
  for (let index = 0; index < length; index++) key.push(reader.keyPart());
  return key;
}
