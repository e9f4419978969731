import { createHash } from 'node:crypto';
import { parentPort } from 'node:worker_threads';
import type { Attachment, Email } from 'postal-mime';
import {
  MAIL_ATTACHMENTS_NAMED_MAX,
  MAIL_FILES_MAX,
  MAIL_HEADERS_BYTES_MAX,
  MAIL_NESTING_MAX,
  MAIL_TEXT_LENGTH_MAX,
} from '../../domain/limits/outbox.ts';
import { mendedText } from './charsets.ts';
import { isLost, withoutControls } from './lost-text.ts';
import { originOf } from './mail-origin.ts';
import { markdownOfHtml } from './mail-text.ts';
import { nameIn, oneLine } from './names.ts';
import { ownText, passesOn } from './own-text.ts';
import type { FileInMail, MailWithFiles } from './reader.ts';
import { subjectOf } from './subjects.ts';

// This is the program of a thread: a hostile mail may take long and much memory, and the server
// ends the thread then.

parentPort?.on('message', (raw: Uint8Array) => {
  void read(raw).then(
    (mail) =>
      parentPort?.postMessage(
        { mail },
        mail.files.flatMap(({ bytes }) => (bytes === null ? [] : [bytes.buffer])),
      ),
    (error: unknown) => parentPort?.postMessage({ fault: String(error) }),
  );
});

async function read(raw: Uint8Array): Promise<MailWithFiles> {
  const { default: PostalMime } = await import('postal-mime');
  const email = await PostalMime.parse(raw, {
    maxNestingDepth: MAIL_NESTING_MAX,
    maxHeadersSize: MAIL_HEADERS_BYTES_MAX,
  });
  if (isLost(raw, email)) throw new Error('its text cannot be found');
  const { subject, kind } = subjectOf(oneLine((email.subject ?? '').slice(0, SUBJECT_LENGTH_MAX)));
  return {
    id: email.messageId?.trim() || hashOf(raw),
    subject,
    author: authorOf(email),
    text: textOf(email, kind),
    files: filesOf(email).slice(0, MAIL_ATTACHMENTS_NAMED_MAX).map(fileIn),
    authorAddress: (email.from?.address ?? '').toLowerCase().slice(0, 320),
    origin: originOf(email),
  };
}

function textOf(email: Email, kind: ReturnType<typeof subjectOf>['kind']): string {
  const plain = mendedText(email.text ?? '').slice(0, MAIL_TEXT_LENGTH_MAX);
  const html = mendedText(email.html ?? '').slice(0, MAIL_TEXT_LENGTH_MAX);
  const isHtml = plain.trim() === '';
  const isWhole = kind === 'forward' || (kind === 'other' && passesOn(isHtml ? html : plain));
  const text = ownText(isHtml ? markdownOfHtml(html, isWhole) : plain, isWhole);
  if (text.trim() === '' && isEncrypted(email)) return ENCRYPTED;
  return withoutControls(text);
}

/** Characters of a subject that are read. */
const SUBJECT_LENGTH_MAX = 500;

const ENCRYPTED = '(This mail is encrypted, and the server cannot read it.)';

/** Tests for a mail of OpenPGP (RFC 3156 section 4) or S/MIME (RFC 8551 section 3.2). */
const isEncrypted = ({ attachments }: Email) =>
  attachments.some(({ mimeType }) =>
    /^application\/(?:pgp-encrypted|(?:x-)?pkcs7-mime)$/i.test(mimeType),
  );

/** Signatures prove nothing of a message, and the version of OpenPGP says nothing. */
const UNTOLD = /^application\/(?:pgp-signature|(?:x-)?pkcs7-signature|pgp-encrypted)$/i;

const filesOf = ({ attachments }: Email) =>
  attachments.filter(({ mimeType }) => !UNTOLD.test(mimeType));

/** The names of files that have none, by their types. */
const NAMES: Readonly<Record<string, string>> = {
  'text/calendar': 'invitation.ics',
  'message/rfc822': 'mail.eml',
  'image/png': 'picture.png',
  'image/jpeg': 'picture.jpg',
  'image/gif': 'picture.gif',
};

/** Pictures within the text are files as well. The bytes are a copy, which moves to the server. */
function fileIn({ filename: named, mimeType, content }: Attachment, index: number): FileInMail {
  const filename = named ?? NAMES[mimeType.toLowerCase()];
  const bytes = typeof content === 'string' ? Buffer.from(content) : new Uint8Array(content);
  return {
    name: nameIn(filename ?? '') || 'a file without a name',
    filename: filename?.slice(0, 1_000) ?? null,
    contentType: mimeType.slice(0, 200),
    bytes: index < MAIL_FILES_MAX ? Uint8Array.from(bytes) : null,
  };
}

/**
 * A mail without an id is known by all of its bytes: one that comes again has the same, with the
 * lines of the relays that it has passed.
 */
const hashOf = (raw: Uint8Array) => createHash('sha256').update(raw).digest('hex');

function authorOf({ from }: Email): string {
  const name = nameIn(from?.name ?? '');
  const address = nameIn(from?.address ?? '');
  if (name === '' || name === address) return address;
  return address === '' ? name : `${name} (${address})`;
}
