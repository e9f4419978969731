import { MAIL_NESTING_MAX } from '../../domain/limits/outbox.ts';
import { bodyOf, boundaryIn } from './mail-parts.ts';

/**
 * Tests for a text within a multipart that is said to be base64 and has other characters. The
 * library leaves these out, and what follows is garbage. Mails within the mail are not looked at.
 */
export function hasBrokenText(mail: string, depth = 0): boolean {
  const body = bodyOf(mail);
  const headers = mail.slice(0, mail.length - body.length);
  const type = headerIn(headers, 'content-type');
  const [, kind] = /^multipart\/([\w-]+)/i.exec(type) ?? [];
  if (kind === undefined) return depth > 0 && isText(headers, type) && isBroken(headers, body);
  const boundary = boundaryIn(type);
  if (boundary === '' || depth === MAIL_NESTING_MAX) return false;
  const parts = partsOf(body, boundary);
  const read = kind.toLowerCase() === 'alternative' ? chosenOf(parts) : parts;
  return read.some((part) => hasBrokenText(part, depth + 1));
}

/** Tests for a body that is said to be base64 and has other characters. */
const isBroken = (headers: string, body: string) =>
  isBase64(headerIn(headers, 'content-transfer-encoding')) && hasOthers(body);

export const isBase64 = (encoding: string) => /^\W*base64\b/i.test(encoding);

export const hasOthers = (body: string) => /[^A-Za-z0-9+/=\s]/.test(body);

/** Tests for a part whose text becomes one of the message: files may be what they are. */
const isText = (headers: string, type: string) =>
  /^(?:$|text\/(?:plain|html)\b)/i.test(type) &&
  !/^attachment\b/i.test(headerIn(headers, 'content-disposition'));

/** Returns the alternatives that are read: the plain texts, if there are any. */
function chosenOf(parts: readonly string[]): readonly string[] {
  const plain = parts.filter((part) => {
    const body = bodyOf(part);
    const type = headerIn(part.slice(0, part.length - body.length), 'content-type');
    return /^(?:$|text\/plain\b)/i.test(type) && body.trim() !== '';
  });
  return plain.length === 0 ? parts : plain;
}

/** Returns the first header of a name with the lines that go on with it; empty if there is none. */
function headerIn(headers: string, name: string): string {
  const header = new RegExp(`^${name}[ \\t]*:(.*(?:\\r?\\n[ \\t].*)*)`, 'im').exec(headers);
  return (header?.[1] ?? '').trim();
}

/** Returns the parts between the lines of a boundary (RFC 2046, section 5.1.1). */
function partsOf(body: string, boundary: string): string[] {
  const escaped = boundary.replace(/\W/g, '\\$&');
  const lines = new RegExp(`^--${escaped}(--)?[ \\t]*(?:\\r?\\n|$)`, 'gm');
  const parts: string[] = [];
  let start: number | undefined;
  for (const { index, 0: line, 1: isLast } of body.matchAll(lines)) {
    if (start !== undefined) parts.push(body.slice(start, index));
    if (isLast !== undefined) return parts;
    start = index + line.length;
  }
  return start === undefined ? parts : [...parts, body.slice(start)];
}
