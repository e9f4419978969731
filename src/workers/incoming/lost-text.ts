import type { Email } from 'postal-mime';
import { hasBrokenText, hasOthers, isBase64 } from './broken-text.ts';
import { bodyOf, boundaryIn } from './mail-parts.ts';

/** Leaves out characters that nobody sees, such as those of a text that was decoded wrongly. */
export const withoutControls = (text: string) => text.replace(/[^\P{Cc}\t\n\r]/gu, '');

/**
 * Tests for a mail that has a body of which the library has found nothing, or garbage. The sender
 * is to hear of it: a message without the text would tell nobody that there was one.
 */
export function isLost(raw: Uint8Array, email: Email): boolean {
  const mail = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength).toString('latin1');
  const isMultipart = /^\s*multipart\//i.test(headerOf(email, 'content-type'));
  const isSaid = isBase64(headerOf(email, 'content-transfer-encoding'));
  if (isMultipart ? hasBrokenText(mail) : isSaid && hasOthers(bodyOf(mail))) return true;
  const { text = '', html = '', attachments } = email;
  if (attachments.length > 0 || withoutControls(`${text}${html}`).trim() !== '') return false;
  const body = bodyOf(mail);
  return body.trim() !== '' && (!isMultipart || hasLostParts(mail, body));
}

const headerOf = ({ headers }: Email, name: string) =>
  headers.find(({ key }) => key === name)?.value ?? '';

const MULTIPART = /^content-type:\s*multipart\/.*(?:\r?\n[ \t].*)*/gim;
/** Multiparts of a mail that are looked at: each search for a boundary reads the whole of it. */
const MULTIPARTS_MAX = 50;

/** Tests for parts that are not found, because their boundary is missing or never comes. */
function hasLostParts(mail: string, body: string): boolean {
  const lines = `\n${body}`;
  let count = 0;
  for (const [header] of mail.matchAll(MULTIPART)) {
    const boundary = boundaryIn(header);
    count += 1;
    if (count > MULTIPARTS_MAX || boundary === '' || !lines.includes(`\n--${boundary}`))
      return true;
  }
  return false;
}
