import { type AddressInfo, BlockList, isIP } from 'node:net';
import type { Readable } from 'node:stream';
import type { SMTPServerSession } from 'smtp-server';
import type { Realm } from '../../../actors/realm/realm-handle.ts';
import {
  INCOMING_BYTES_MAX,
  INCOMING_CONNECTIONS_MAX,
  INCOMING_MAIL_BYTES_MAX,
  INCOMING_MAIL_MS_MAX,
  INCOMING_MAILS_PER_MINUTE,
  INCOMING_SILENCE_MS_MAX,
} from '../../domain/limits/outbox.ts';
import { ApiError } from '../../domain/wire/errors.ts';
import { openRequestRate } from '../../endpoints/request-rate.ts';
import type { Site } from '../../operations/access/caller.ts';
import * as incomingMails from '../../operations/notifications/incoming-mails.ts';
import {
  type MailReader,
  type MailWithFiles,
  openMailReader,
  TooBusy,
  Unreadable,
} from './reader.ts';
import { storeFiles } from './stored-files.ts';

export interface MailInInput {
  readonly host: string;
  readonly port: number;
  /** Addresses and ranges of the relays that may hand mails over. */
  readonly relays: readonly string[];
  /** Returns the realm of a host name, if there is one. */
  readonly at: (host: string) => { readonly realm: Realm | undefined; readonly site: Site };
  /** Tests whether this process writes the realm. */
  readonly isWritten: (realm: Realm) => boolean;
  readonly now: () => number;
  readonly onBug: (error: unknown) => void;
  readonly onTaken: (mail: { readonly messageId: number; readonly realm: string }) => void;
  readonly onRefused: (why: string) => void;
  /** In a test: how long a mail may take to arrive, in milliseconds. */
  readonly mailMsMax?: number;
}

export interface MailIn {
  readonly port: number;
  /** Ends the listener; mails that are under way come again to the next start. */
  close(): Promise<void>;
}

/** A refusal in the form of SMTP; the library adds the enhanced code (RFC 3463). */
function refusal(responseCode: number, text: string): Error {
  return Object.assign(new Error(text), { responseCode });
}

/** Names that are counted at once; older ones are forgotten. */
const NAMES_MAX = 10_000;

/** Receives mails by SMTP (RFC 5321) from trusted relays, and makes messages of them. */
export async function openMailIn(input: MailInInput): Promise<MailIn> {
  const { SMTPServer } = await import('smtp-server');
  const reader = openMailReader();
  const isRelay = relayTest(input.relays);
  const takes = openTaking(input, reader);
  const perMinute = INCOMING_MAILS_PER_MINUTE;
  const rate = openRequestRate<string>({ perMinute, namesMax: NAMES_MAX });
  const server = new SMTPServer({
    banner: 'confab',
    logger: false,
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    size: INCOMING_MAIL_BYTES_MAX,
    maxClients: INCOMING_CONNECTIONS_MAX,
    socketTimeout: INCOMING_SILENCE_MS_MAX,
    closeTimeout: 1_000,
    onConnect: ({ remoteAddress }, done) =>
      done(isRelay(remoteAddress) ? null : refusal(554, 'this address is no relay of this server')),
    onRcptTo({ address }, { envelope }, done) {
      // The answer to a mail is one for all of its recipients, so each gets a mail of its own
      // (RFC 5321 section 4.5.3.1.10).
      if (envelope.rcptTo.length > 0) return done(refusal(452, 'one recipient for each mail'));
      const sender = envelope.mailFrom === false ? '' : envelope.mailFrom.address.toLowerCase();
      done(refusalOf(() => refuseAddress(input, address, sender === '')));
    },
    onData: (stream, session, done) => {
      const names = namesOf(session);
      const waits = names.map((name) => rate.take(name, input.now()).retryAfterMs);
      if (Math.max(...waits) > 0) {
        stream.resume();
        stream.once('end', () => done(refusal(451, 'too many mails: try again in a minute')));
        return;
      }
      void takes(stream, session).then(
        (id) => done(null, `message ${id}`),
        (error: Error & { responseCode: number }) => {
          input.onRefused(error.message);
          stream.resume();
          done(error);
        },
      );
    },
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(input.port, input.host, resolve);
  });
  server.removeAllListeners('error');
  // Errors of connections are those of their clients: nothing is to be done.
  server.on('error', () => undefined);
  return {
    port: (server.server.address() as AddressInfo).port, // of a server that listens on a port
    close: () =>
      new Promise((resolve) =>
        server.close(() => {
          reader.close();
          resolve();
        }),
      ),
  };
}

const addressOf = ({ envelope }: SMTPServerSession): string => envelope.rcptTo[0]?.address ?? '';

function namesOf(session: SMTPServerSession): string[] {
  const { mailFrom } = session.envelope;
  const sender = mailFrom === false ? '' : mailFrom.address.toLowerCase().slice(0, 320);
  return [`to ${addressOf(session).toLowerCase()}`, ...(sender === '' ? [] : [`by ${sender}`])];
}

function refusalOf(act: () => void): Error | null {
  try {
    act();
    return null;
  } catch (error) {
    return error as Error; // a refusal in the form of SMTP
  }
}

/** Returns the realm of an address, or refuses it. */
function refuseAddress(input: MailInInput, address: string, isNullSender: boolean) {
  const at = address.lastIndexOf('@');
  const [local, host] = [address.slice(0, at), address.slice(at + 1)];
  const { realm, site } = input.at(host.toLowerCase());
  if (realm === undefined || site.host !== host.toLowerCase()) {
    throw refusal(550, 'no such address here');
  }
  if (!realm.isOpen() || !input.isWritten(realm)) {
    throw refusal(451, 'this server does not write this organization now: try again later');
  }
  if (incomingMails.kindOf(realm.reader, local, realm.now()) === undefined) {
    throw refusal(550, 'no such address here, or it has expired');
  }
  // Bounces have no sender (RFC 5321 section 4.5.5), and nobody is to read them in a channel.
  if (isNullSender) throw refusal(550, 'bounces are not taken');
  return { realm, site, local };
}

/** Returns how a mail is taken: the promise is resolved when its message is on disk. */
function openTaking(input: MailInInput, reader: MailReader) {
  let held = 0;
  return async (stream: Readable, session: SMTPServerSession): Promise<number> => {
    let own = 0;
    try {
      const chunks: Buffer[] = [];
      const { isWhole } = await received(
        stream,
        input.mailMsMax ?? INCOMING_MAIL_MS_MAX,
        (chunk) => {
          own += chunk.length;
          held += chunk.length;
          if (own > INCOMING_MAIL_BYTES_MAX) return refusal(552, 'the mail is too large');
          if (held > INCOMING_BYTES_MAX)
            return refusal(452, 'too many mails are coming: try again');
          chunks.push(chunk);
          return undefined;
        },
      );
      if (!isWhole) throw refusal(451, 'the mail has not come to its end');
      const mail = await reader.read(Buffer.concat(chunks));
      const taken = await stored(refuseAddress(input, addressOf(session), false), mail);
      input.onTaken(taken);
      return taken.messageId;
    } catch (error) {
      throw asRefusal(error, input.onBug);
    } finally {
      held -= own;
    }
  };
}

/** Writes the files of a mail and then its message; without a message no file stays. */
async function stored(
  { realm, site, local }: ReturnType<typeof refuseAddress>,
  { files: inMail, ...mail }: MailWithFiles,
) {
  const { files, settle } = await storeFiles(realm, inMail, site.settings.maxUploadMib);
  let pathIds: readonly string[] = [];
  try {
    const taken = await realm.perform((tx) =>
      incomingMails.accept(tx, site, { local, mail, files }),
    );
    pathIds = taken.pathIds;
    return { messageId: taken.id, realm: realm.stringId };
  } finally {
    await settle(pathIds);
  }
}

/** Receives a mail to its end: what is refused is read as well, but not held. */
function received(
  stream: Readable,
  msMax: number,
  take: (chunk: Buffer) => Error | undefined,
): Promise<{ readonly isWhole: boolean }> {
  return new Promise((resolve, reject) => {
    let refused: Error | undefined;
    const timer = setTimeout(() => resolve({ isWhole: false }), msMax);
    const end = (act: () => void) => () => {
      clearTimeout(timer);
      act();
    };
    stream.on('data', (chunk: Buffer) => {
      if (refused === undefined) refused = take(chunk);
    });
    stream.once(
      'end',
      end(() => (refused === undefined ? resolve({ isWhole: true }) : reject(refused))),
    );
    stream.once(
      'close',
      end(() => resolve({ isWhole: false })),
    );
    stream.once(
      'error',
      end(() => resolve({ isWhole: false })),
    );
  });
}

/** Temporary faults are 4xx: the relay keeps the mail and comes again. */
function asRefusal(error: unknown, onBug: (error: unknown) => void): Error {
  if (error instanceof Error && 'responseCode' in error) return error;
  if (error instanceof Unreadable) return refusal(554, 'the mail cannot be read');
  if (error instanceof TooBusy) return refusal(451, error.message);
  if (error instanceof ApiError) {
    // Limits, a full disk and a server that stops change by themselves.
    const isTemporary = error.status === 429 || error.status >= 500;
    return refusal(isTemporary ? 451 : 554, error.message);
  }
  onBug(error);
  return refusal(451, 'this server has a fault: try again later');
}

/** Tests for the addresses of relays, also if they come as IPv4 in IPv6. */
function relayTest(relays: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const relay of relays) {
    const [address = '', bits] = relay.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    list.addSubnet(address, Number(bits ?? (family === 'ipv6' ? 128 : 32)), family);
  }
  return (address) => {
    const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
    return isIP(plain) !== 0 && list.check(plain, isIP(plain) === 6 ? 'ipv6' : 'ipv4');
  };
}
