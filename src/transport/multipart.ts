import { isUtf8 } from 'node:buffer';
import { MULTIPART_BOUNDARY_LENGTH_MAX, MULTIPART_HEAD_BYTES_MAX } from '../domain/limits/files.ts';
import { badRequest } from '../domain/wire/errors.ts';
import type { PartHead, Piece } from '../endpoints/endpoint.ts';

export interface MultipartReader {
  /**
   * Returns what a chunk completes. Its bytes are those of the chunk where they can be: it must not
   * change.
   */
  push(chunk: Buffer): Piece[];
  /** Refuses a body that ends before its last part does. */
  end(): void;
}

/**
 * The position of the reader: before the first part, in a delimiter line, in a head, in the bytes
 * of a part, or behind the last one.
 */
type Stage = 'preamble' | 'delimiter' | 'head' | 'bytes' | 'done';

const LINE_END = '\r\n';
const HEAD_END = '\r\n\r\n';
/** Blanks that may follow a boundary (RFC 2046). */
const DELIMITER_REST_MAX = 256;

/**
 * Reads a body of any length in chunks of any length, and holds no more of it than a head or a
 * delimiter.
 */
export function openMultipart(contentType: string): MultipartReader {
  const delimiter = Buffer.from(`${LINE_END}--${boundaryOf(contentType)}`);
  // The first delimiter needs no line before it.
  let rest: Buffer = Buffer.from(LINE_END);
  let stage: Stage = 'preamble';
  const stageNow = (): Stage => stage;

  /** Takes the bytes before the delimiter; bytes that might begin the delimiter stay. */
  function takeBytes(): Buffer {
    const at = rest.indexOf(delimiter);
    const length = at < 0 ? rest.length - begunAtEnd(rest, delimiter) : at;
    const bytes = rest.subarray(0, length);
    rest = rest.subarray(at < 0 ? length : at + delimiter.length);
    if (at >= 0) stage = 'delimiter';
    return bytes;
  }

  function passDelimiter() {
    if (rest.length < 2) return;
    if (rest.toString('latin1', 0, 2) === '--') {
      stage = 'done';
      return;
    }
    const end = rest.indexOf(LINE_END);
    const length = end < 0 ? rest.length : end;
    if (length > DELIMITER_REST_MAX) throw malformed();
    if (!/^[ \t]*\r?$/.test(rest.toString('latin1', 0, length))) throw malformed();
    if (end < 0) return;
    // The line end stays: it and one more are the end of a head without lines.
    rest = rest.subarray(end);
    stage = 'head';
  }

  function takeHead(): PartHead | undefined {
    const end = rest.indexOf(HEAD_END);
    if ((end < 0 ? rest.length : end) > MULTIPART_HEAD_BYTES_MAX) throw malformed();
    if (end < 0) return undefined;
    const head = headOf(rest.subarray(0, end));
    rest = rest.subarray(end + HEAD_END.length);
    stage = 'bytes';
    return head;
  }

  return {
    push(chunk) {
      if (stage === 'done') return [];
      rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      const pieces: Piece[] = [];
      for (;;) {
        const before: Stage = stageNow();
        if (before === 'preamble') takeBytes();
        else if (before === 'bytes') {
          const bytes = takeBytes();
          if (bytes.length > 0) pieces.push({ bytes });
        } else if (before === 'delimiter') passDelimiter();
        else if (before === 'head') {
          const head = takeHead();
          if (head !== undefined) pieces.push(head);
        }
        // The next step needs the next chunk.
        if (stageNow() === before || stageNow() === 'done') return pieces;
      }
    },
    end() {
      if (stage !== 'done') throw malformed();
    },
  };
}

/**
 * Returns how many bytes at the end might begin the delimiter, which has one line end, in front.
 */
function begunAtEnd(bytes: Buffer, delimiter: Buffer): number {
  const end = bytes.subarray(Math.max(0, bytes.length - delimiter.length + 1));
  const at = end.lastIndexOf('\r');
  if (at < 0) return 0;
  const tail = end.subarray(at);
  return tail.equals(delimiter.subarray(0, tail.length)) ? tail.length : 0;
}

const malformed = () => badRequest('The multipart body is malformed');

function boundaryOf(contentType: string): string {
  const found = /;\s*boundary=(?:"([^"]+)"|([^\s;"]+))/i.exec(contentType);
  const boundary = found?.[1] ?? found?.[2] ?? '';
  if (boundary === '' || boundary.length > MULTIPART_BOUNDARY_LENGTH_MAX) throw malformed();
  return boundary;
}

function headOf(bytes: Buffer): PartHead {
  if (!isUtf8(bytes)) throw badRequest('The request is not valid UTF-8');
  const lines = bytes.toString('utf8').split(LINE_END);
  const header = (name: string) =>
    lines.find((line) => line.toLowerCase().startsWith(`${name}:`))?.slice(name.length + 1);
  const disposition = header('content-disposition') ?? '';
  return {
    name: /;\s*name=(?:"([^"]*)"|([^;\s"]*))/i.exec(disposition)?.slice(1).find(Boolean) ?? '',
    filename: filenameOf(disposition),
    contentType: (header('content-type') ?? '').trim(),
  };
}

/**
 * Quotes come as `%22` from browsers and as `\"` from others; some older clients write what is not
 * ASCII as `filename*`.
 */
function filenameOf(disposition: string): string | null {
  const [, extended] = /;\s*filename\*=utf-8''([^;\s]*)/i.exec(disposition) ?? [];
  if (extended !== undefined) return decodedName(extended);
  const [, quoted, bare] =
    /;\s*filename=(?:"((?:[^"\\]|\\.)*)"|([^;\s"]*))/i.exec(disposition) ?? [];
  if (quoted === undefined) return bare ?? null;
  return quoted.replaceAll('\\"', '"').replace(/%22/g, '"');
}

function decodedName(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw badRequest('The request is not valid UTF-8');
  }
}
