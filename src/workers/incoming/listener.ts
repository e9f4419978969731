import { type AddressInfo, BlockList, isIP } from 'node:net';
import type { Readable } from 'node:stream';
import type { SMTPServerSession } from 'smtp-server';
import {
  INCOMING_CONNECTIONS_MAX,
  INCOMING_MAIL_BYTES_MAX,
  INCOMING_MAIL_MS_MAX,
  INCOMING_MAILS_PER_MINUTE,
  INCOMING_SILENCE_MS_MAX,
} from '../../domain/limits/outbox.ts';
import { openRequestRate } from '../../endpoints/request-rate.ts';
import type { MailInRecord } from '../../metrics/recorders.ts';
import { answerOf, asRefusal, type MailAnswer, Refusal } from './answers.ts';
import type { Holding, MailTaking } from './taking.ts';

export interface MailInInput {
  readonly host: string;
  readonly port: number;
  /** Addresses and ranges of the relays that may hand mails over. */
  readonly relays: readonly string[];
  readonly taking: MailTaking;
  readonly record: MailInRecord;
  readonly now: () => number;
  readonly onBug: (error: unknown) => void;
  readonly onRefused: (why: string) => void;
  /** In a test: how long a mail may take to arrive, in milliseconds. */
  readonly mailMsMax?: number;
}

export interface MailIn {
  readonly port: number;
  /** Ends the listener; mails that are under way come again to the next start. */
  close(): Promise<void>;
}

/** Names that are counted at once; older ones are forgotten. */
const NAMES_MAX = 10_000;

/** Receives mails by SMTP (RFC 5321) from trusted relays, and makes messages of them. */
export async function openMailIn(input: MailInInput): Promise<MailIn> {
  const { SMTPServer } = await import('smtp-server');
  const { taking, record } = input;
  const isRelay = relayTest(input.relays);
  const perMinute = INCOMING_MAILS_PER_MINUTE;
  const rate = openRequestRate<string>({ perMinute, namesMax: NAMES_MAX });
  /** Counts and logs a refusal, and returns it. */
  const refused = (error: unknown): Refusal => {
    const refusal = asRefusal(error, input.onBug);
    record.results[refusal.result] += 1;
    input.onRefused(refusal.message);
    return refusal;
  };
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
      done(isRelay(remoteAddress) ? null : refused(new Refusal(554, 'no_relay', NO_RELAY))),
    onRcptTo({ address }, { envelope }, done) {
      // The answer to a mail is one for all of its recipients, so each gets a mail of its own
      // (RFC 5321 section 4.5.3.1.10). It is no refusal: the relay does so at once.
      if (envelope.rcptTo.length > 0) {
        return done(new Refusal(452, 'busy', 'one recipient for each mail'));
      }
      try {
        taking.refuse(address);
        // Bounces have no sender (RFC 5321 section 4.5.5), and nobody is to read them in a channel.
        if (senderOf(envelope) === '') throw new Refusal(550, 'bounce', 'bounces are not taken');
        done();
      } catch (error) {
        done(refused(error));
      }
    },
    onData: (stream, session, done) => {
      const names = namesOf(session);
      const waits = names.map((name) => rate.take(name, input.now()).retryAfterMs);
      if (Math.max(...waits) > 0) {
        stream.resume();
        stream.once('end', () => done(refused(new Refusal(451, 'rate', TOO_MANY))));
        return;
      }
      void taken(input, stream, session).then((answer) => {
        record.results[answer.result] += 1;
        if (answer.code === 250) return done(null, answer.text);
        input.onRefused(answer.text);
        stream.resume();
        done(new Refusal(answer.code, answer.result, answer.text));
      });
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
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

const NO_RELAY = 'this address is no relay of this server';
const TOO_MANY = 'too many mails: try again in a minute';

/** The longest address (RFC 5321 section 4.5.3.1). */
const SENDER_LENGTH_MAX = 320;

const addressOf = ({ envelope }: SMTPServerSession): string => envelope.rcptTo[0]?.address ?? '';

const senderOf = ({ mailFrom }: SMTPServerSession['envelope']): string =>
  mailFrom === false ? '' : mailFrom.address.toLowerCase();

function namesOf(session: SMTPServerSession): string[] {
  const sender = senderOf(session.envelope).slice(0, SENDER_LENGTH_MAX);
  return [`to ${addressOf(session).toLowerCase()}`, ...(sender === '' ? [] : [`by ${sender}`])];
}

/** Receives a mail and has it taken; never rejects. */
async function taken(
  input: MailInInput,
  stream: Readable,
  session: SMTPServerSession,
): Promise<MailAnswer> {
  const { taking, record } = input;
  const begunAt = performance.now();
  const holding = taking.hold();
  record.inProgress += 1;
  try {
    const raw = await received(stream, input.mailMsMax ?? INCOMING_MAIL_MS_MAX, holding);
    record.bytes += raw.length;
    const sender = senderOf(session.envelope).slice(0, SENDER_LENGTH_MAX);
    return await taking.take({ address: addressOf(session), sender, raw });
  } catch (error) {
    return answerOf(asRefusal(error, input.onBug));
  } finally {
    holding.release();
    record.inProgress -= 1;
    record.ms.record(performance.now() - begunAt);
  }
}

/** Receives a mail to its end: what is refused is read as well, but not held. */
function received(stream: Readable, msMax: number, holding: Holding): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let refused: Error | undefined;
    const isCut = () => {
      clearTimeout(timer);
      reject(new Refusal(451, 'cut_off', 'the mail has not come to its end'));
    };
    const timer = setTimeout(isCut, msMax);
    stream.on('data', (chunk: Buffer) => {
      if (refused !== undefined) return;
      refused = holding.add(chunk.length);
      if (refused === undefined) chunks.push(chunk);
    });
    stream.once('end', () => {
      clearTimeout(timer);
      if (refused === undefined) resolve(Buffer.concat(chunks));
      else reject(refused);
    });
    stream.once('close', isCut);
    stream.once('error', isCut);
  });
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
