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
import { originOf } from './mail-origin.ts';
import { markdownOfHtml } from './mail-text.ts';
import { ownText } from './own-text.ts';
import type { FileInMail, MailWithFiles } from './reader.ts';

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
  const plain = (email.text ?? '').slice(0, MAIL_TEXT_LENGTH_MAX);
  const html = (email.html ?? '').slice(0, MAIL_TEXT_LENGTH_MAX);
  const text = ownText(plain.trim() === '' ? markdownOfHtml(html) : plain).replaceAll('\0', '');
  const subject = oneLine(email.subject ?? '').slice(0, 500);
  return {
    id: email.messageId?.trim() || hashOf(email, text),
    subject,
    author: authorOf(email),
    text,
    files: email.attachments.slice(0, MAIL_ATTACHMENTS_NAMED_MAX).map(fileIn),
    authorAddress: (email.from?.address ?? '').toLowerCase().slice(0, 320),
    origin: originOf(email),
  };
}

/** Pictures within the text are files as well. The bytes are a copy, which moves to the server. */
function fileIn({ filename, mimeType, content }: Attachment, index: number): FileInMail {
  const bytes = typeof content === 'string' ? Buffer.from(content) : new Uint8Array(content);
  return {
    name: nameIn(filename ?? '') || 'a file without a name',
    filename: filename?.slice(0, 1_000) ?? null,
    contentType: mimeType.slice(0, 200),
    bytes: index < MAIL_FILES_MAX ? Uint8Array.from(bytes) : null,
  };
}

/** A mail without an id is known by what its author has sent: relays change the rest. */
function hashOf({ date, subject, from, attachments }: Email, text: string): string {
  const hash = createHash('sha256').update(JSON.stringify([date, subject, from, text]));
  for (const { filename, content } of attachments) {
    hash.update(JSON.stringify(filename));
    hash.update(typeof content === 'string' ? content : new Uint8Array(content));
  }
  return hash.digest('hex');
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is removed.
const oneLine = (text: string) => text.replace(/[\s\u0000-\u001f\u007f]+/g, ' ').trim();

/** Leaves no character in a name that means something in Markdown. */
const nameIn = (text: string) =>
  oneLine(text.slice(0, 200).replace(/[^\p{L}\p{N}\p{M} .,'+@-]/gu, ' ')).slice(0, 100);

function authorOf({ from }: Email): string {
  const name = nameIn(from?.name ?? '');
  const address = nameIn(from?.address ?? '');
  return name === '' || name === address ? address : `${name} (${address})`;
}
