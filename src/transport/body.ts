import { isUtf8 } from 'node:buffer';
import { FORM_FIELD_BYTES_MAX, PARAMETERS_MAX } from '../domain/limits/requests.ts';
import * as errors from '../domain/wire/errors.ts';
import { openMultipart } from './multipart.ts';

/** Parameters by name, as text. If a name is given twice, the last one counts. */
export type RawParameters = Record<string, string>;

/**
 * Returns the parameters of a request: the body's, and the query's for names that the body lacks.
 */
export function rawParameters(
  query: string,
  body: Buffer | null,
  contentType: string,
): RawParameters {
  const raw: RawParameters = Object.create(null) as RawParameters;
  if (query !== '') readForm(query.includes('+') ? spaced(Buffer.from(query)) : query, raw);
  if (body === null || body.length === 0) return raw;
  const type = typeOf(contentType);
  if (type === MULTIPART) readMultipart(body, contentType, raw);
  // A body without a type is read as a form: simple clients send none.
  else if (type === '' || type === FORM) readForm(spaced(body), raw);
  return raw;
}

/**
 * Returns a reader of a body that is not a form, for endpoints that take it as a whole; undefined
 * for a form.
 */
export function textReader(body: Buffer, contentType: string): (() => string) | undefined {
  const type = typeOf(contentType);
  const isForm = type === '' || type === FORM || type === MULTIPART;
  return isForm || body.length === 0 ? undefined : () => utf8(body);
}

/**
 * Returns a reader of the one file in a multipart body, for endpoints that take it along with
 * parameters; undefined for other bodies. A form's empty file input counts as no file.
 */
export function fileReader(body: Buffer, contentType: string): (() => Buffer | null) | undefined {
  if (typeOf(contentType) !== MULTIPART || body.length === 0) return undefined;
  return () => {
    const files: Buffer[][] = [];
    let isInFile = false;
    for (const piece of openMultipart(contentType).push(body)) {
      if ('bytes' in piece) {
        if (isInFile) files.at(-1)?.push(piece.bytes);
        continue;
      }
      isInFile = piece.filename !== null && piece.filename !== '';
      if (isInFile) files.push([]);
    }
    if (files.length > 1) throw errors.badRequest('You may only upload one file at a time');
    return files[0] === undefined ? null : Buffer.concat(files[0]);
  };
}

/** Returns the media type. Most clients write it exactly so, and several callers ask for it. */
const typeOf = (contentType: string) =>
  contentType === FORM || contentType === ''
    ? contentType
    : contentType.split(';', 1)[0]?.trim().toLowerCase();

/** Decides how a body is read. */
export function kindOf(contentType: string): 'multipart' | 'form' | 'text' {
  const type = typeOf(contentType);
  if (type === MULTIPART) return 'multipart';
  return type === '' || type === FORM ? 'form' : 'text';
}

export const isMultipart = (contentType: string) => typeOf(contentType) === MULTIPART;

const FORM = 'application/x-www-form-urlencoded';
const MULTIPART = 'multipart/form-data';

function utf8(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw errors.badRequest('The request is not valid UTF-8');
  return bytes.toString('utf8');
}

const PLUS = 0x2b;
const SPACE = 0x20;

/**
 * Replaces the plus signs of a form by blanks, in its bytes: in a text, a run of a million takes a
 * tenth of a second.
 */
function spaced(form: Buffer): string {
  const first = form.indexOf(PLUS);
  if (first < 0) return utf8(form);
  const bytes = Buffer.from(form);
  for (let at = first; at < bytes.length; at += 1) if (bytes[at] === PLUS) bytes[at] = SPACE;
  return utf8(bytes);
}

/**
 * Parses a form without URLSearchParams, which takes twice as long and replaces invalid UTF-8
 * silently.
 */
function readForm(form: string, raw: RawParameters) {
  let count = 0;
  let start = 0;
  while (start < form.length) {
    let end = form.indexOf('&', start);
    if (end < 0) end = form.length;
    // Empty parameters count as well: a million of them would take time for nothing.
    count += 1;
    if (count > PARAMETERS_MAX) throw errors.badRequest('Too many parameters');
    if (end > start) {
      // The search is limited to the pair: without the limit, pairs without a value would take
      // quadratic time.
      const pair = form.slice(start, end);
      const equals = pair.indexOf('=');
      const name = equals < 0 ? pair : pair.slice(0, equals);
      raw[decoded(name)] = equals < 0 ? '' : decoded(pair.slice(equals + 1));
    }
    start = end + 1;
  }
}

function decoded(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    throw errors.badRequest('The request is not valid UTF-8');
  }
}

function readMultipart(body: Buffer, contentType: string, raw: RawParameters) {
  const reader = openMultipart(contentType);
  const values = new Map<string, Buffer[]>();
  let value: Buffer[] = [];
  let bytes = 0;
  let isFile = false;
  let count = 0;
  for (let at = 0; at < body.length; at += BYTES_PER_STEP) {
    for (const piece of reader.push(body.subarray(at, at + BYTES_PER_STEP))) {
      if ('bytes' in piece) {
        if (isFile) continue;
        bytes += piece.bytes.length;
        if (bytes > FORM_FIELD_BYTES_MAX) throw errors.fieldTooLarge(FORM_FIELD_BYTES_MAX);
        value.push(piece.bytes);
        continue;
      }
      count += 1;
      if (count > PARAMETERS_MAX) throw errors.badRequest('Too many parameters');
      value = [];
      bytes = 0;
      // Files are not parameters.
      isFile = piece.filename !== null;
      if (!isFile) values.set(piece.name, value);
    }
  }
  reader.end();
  for (const [name, runs] of values) raw[name] = utf8(Buffer.concat(runs));
}

/**
 * Bytes read in one step, so that a body of nothing but heads is refused before all of them are
 * read.
 */
const BYTES_PER_STEP = 64 * 1024;
