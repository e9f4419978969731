import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { onTestFinished } from 'vitest';
import { OUTBOX_LEASE_MS } from '../../../src/domain/limits/outbox.ts';
import { startServer, type TestServer } from '../start-server.ts';

/** A mail as its reader has it. */
interface ReceivedMail {
  readonly to: string;
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly html: string;
}

interface MailServer {
  readonly url: string;
  /** Everything received so far. */
  readonly received: readonly ReceivedMail[];
}

export interface Mailing extends MailServer {
  readonly server: TestServer;
}

/**
 * A server that sends its mails to a mail server of this machine, which may refuse some by their
 * number.
 */
export async function withMailServer(refuses?: (count: number) => boolean): Promise<Mailing> {
  const mailServer = await startMailServer(refuses);
  const env = { CONFAB_SMTP_URL: mailServer.url };
  return { ...mailServer, server: await startServer({ channels: ['general'], env }) };
}

export async function startMailServer(
  refuses: (count: number) => boolean = () => false,
): Promise<MailServer> {
  const received: ReceivedMail[] = [];
  let count = 0;
  const smtp = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, { envelope }, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        count += 1;
        if (refuses(count)) return done(new Error('try again later'));
        const to = envelope.rcptTo.map(({ address }) => address).join();
        received.push({ to, ...partsOf(Buffer.concat(chunks).toString('latin1')) });
        done();
      });
    },
  });
  await new Promise<void>((resolve) => void smtp.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise<void>((resolve) => void smtp.close(() => resolve())));
  const { port } = smtp.server.address() as AddressInfo; // of a server that listens on a port
  return { url: `smtp://127.0.0.1:${port}`, received };
}

/** Lets some time pass, and happen whatever is due then. Gives the mails that came. */
export async function mailsAfter({ server, received }: Mailing, ms = 0) {
  const before = received.length;
  await settle(server);
  if (ms > 0) {
    await server.leap(ms);
    await settle(server);
  }
  return received.slice(before);
}

async function settle(server: TestServer) {
  for (;;) {
    await server.advance(1);
    const now = server.clock.now();
    const { work, times, waiting } = await server.perform((tx) => ({
      work: [...tx.pushWork.keys({})].length,
      times: Array.from(tx.missedMailTimes.keys({}), ([dueAt]) => dueAt - now),
      waiting: Array.from(tx.outbox.keys({}), ([dueAt]) => dueAt - now),
    }));
    const isDone = waiting.every((left) => left > 0 && !isUnderWay(left));
    if (work === 0 && isDone && times.every((left) => left > 0)) return;
  }
}

/** No pause between two attempts is about as long as the lease of an outbox entry. */
const isUnderWay = (ms: number) => ms > OUTBOX_LEASE_MS - 10_000 && ms <= OUTBOX_LEASE_MS;

function partsOf(raw: string): Omit<ReceivedMail, 'to'> {
  const { headers, body } = entity(raw);
  const [, boundary] = /boundary="?([^";]+)/.exec(headers['content-type'] ?? '') ?? [];
  if (boundary === undefined) return { headers, text: decoded({ headers, body }), html: '' };
  const parts = body
    .split(`\r\n--${boundary}`)
    .slice(0, -1)
    .map((part) => entity(part.replace(`--${boundary}`, '')));
  const ofType = (type: string) => {
    const part = parts.find(({ headers }) => headers['content-type']?.startsWith(type));
    return part === undefined ? '' : decoded(part);
  };
  return { headers, text: ofType('text/plain'), html: ofType('text/html') };
}

interface Entity {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

function entity(raw: string): Entity {
  const trimmed = raw.replace(/^\r\n/, '');
  const end = trimmed.indexOf('\r\n\r\n');
  const lines = trimmed
    .slice(0, end)
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n');
  const headers = lines.map((line) => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), words(line.slice(colon + 1).trim())] as const;
  });
  return { headers: Object.fromEntries(headers), body: trimmed.slice(end + 4) };
}

/** Decodes words of a header that are not plain ASCII; in these tests all of them are quoted. */
const words = (value: string) =>
  value.replace(/=\?UTF-8\?Q\?([^?]*)\?=/g, (_, word: string) => quoted(word.replaceAll('_', ' ')));

const quoted = (text: string) =>
  Buffer.from(
    text.replace(/=([0-9A-F]{2})/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16))),
    'latin1',
  ).toString('utf8');

function decoded({ headers, body }: Entity): string {
  const encoding = headers['content-transfer-encoding'];
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString('utf8');
  if (encoding !== 'quoted-printable') return body.replaceAll('\r\n', '\n');
  return quoted(body.replace(/=\r\n/g, '')).replaceAll('\r\n', '\n');
}
