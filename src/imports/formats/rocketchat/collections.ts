import type { Readable } from 'node:stream';
import { bsonDocuments } from '../../bson-stream.ts';
import { type Place, type SkippedRow, skipped } from '../../history.ts';
import { jsonElements } from '../../json-documents.ts';
import { chunksOf, type JsonLine, JsonStreamError, jsonLines } from '../../json-stream.ts';
import type { ArchiveSource } from '../../sources/archive-source.ts';
import { openGunzipped } from '../../sources/gunzipped.ts';
import { type Fields, fieldsOf, secondsOf } from '../shared/fields.ts';

/** A document of a collection, or a row that says why there is none. */
export type Found =
  | { readonly place: Place; readonly fields: Fields }
  | { readonly skipped: SkippedRow };

const NAMES = {
  users: /^(?:rocketchat_)?users$/,
  rooms: /^rocketchat_rooms?$/,
  messages: /^rocketchat_messages?$/,
  subscriptions: /^rocketchat_subscriptions?$/,
} as const;

export type Collection = keyof typeof NAMES;

const ROWS = {
  users: 'user',
  rooms: 'channel',
  messages: 'message',
  subscriptions: 'subscription',
} as const;

const FILE = /^(.*?)\.(?:bson|json|jsonl)(?:\.gz)?$/;

/** Finds the file of a collection, by the names of `mongodump` and `mongoexport`. */
export function entryOf(archive: ArchiveSource, collection: Collection): string | undefined {
  return archive
    .names()
    .filter((name) => {
      const base = FILE.exec(name.slice(name.lastIndexOf('/') + 1))?.[1];
      return base !== undefined && NAMES[collection].test(base);
    })
    .sort((one, other) => one.length - other.length)[0];
}

/** Reads a collection in the order of the file; nothing if the archive does not have it. */
export async function* documentsOf(
  archive: ArchiveSource,
  collection: Collection,
): AsyncGenerator<Found> {
  const entry = entryOf(archive, collection);
  if (entry === undefined) return;
  const placeOf = (line: number): Place => ({ file: entry, row: String(line) });
  const odd = (why: string): Found => ({ skipped: skipped(ROWS[collection], placeOf(last), why) });
  let last = 0;
  try {
    for await (const document of linesOf(archive, entry)) {
      last = document.line;
      const fields = 'value' in document ? fieldsOf(document.value) : null;
      if ('why' in document) yield odd(document.why);
      else if (fields === null) yield odd('It is no document.');
      else yield { place: placeOf(last), fields };
    }
  } catch (error) {
    if (!(error instanceof JsonStreamError)) throw error;
    const place = { file: entry, row: `${last + 1}-` };
    yield { skipped: skipped('rest of the file', place, error.message) };
  }
}

async function* linesOf(archive: ArchiveSource, entry: string): AsyncGenerator<JsonLine> {
  // `mongodump --gzip` packs each collection.
  const open = () => (entry.endsWith('.gz') ? openGunzipped(archive, entry) : archive.open(entry));
  if (/\.bson(?:\.gz)?$/.test(entry)) yield* bsonDocuments(await open());
  else if ((await firstSign(await open())) === '[') {
    let line = 0;
    for await (const { key: _, within: __, ...element } of jsonElements(await open(), ['$.*'])) {
      line += 1;
      yield { line, ...element };
    }
  } else yield* jsonLines(await open());
}

/** `mongoexport --jsonArray` writes one array instead of lines. */
async function firstSign(stream: Readable): Promise<string> {
  for await (const chunk of chunksOf(stream)) {
    const sign = String(chunk).trimStart()[0];
    if (sign !== undefined) return sign;
  }
  return '';
}

/** Returns the seconds of a date, of BSON or of either form of Extended JSON. */
export function secondsOfDate(value: unknown): number | null {
  if (value instanceof Date) return secondsOf(value.getTime() / 1000);
  const date = fieldsOf(value)?.['$date'];
  if (typeof date === 'string') return secondsOf(Date.parse(date) / 1000);
  const ms = typeof date === 'number' ? date : Number(fieldsOf(date)?.['$numberLong']);
  return secondsOf(ms / 1000);
}
