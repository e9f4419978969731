import { request as ask } from 'node:http';
import { z } from 'zod';
import type { HttpResponse, TemplatedApp } from '../transport/library/sockets.ts';
import { fromGateways, GATEWAY_HEADER, nameClient, type RelayTarget } from './relay.ts';

/** The answer to a mail; `result` is the name under which it is counted. */
export interface MailOutcome {
  /** An SMTP code. */
  readonly code: number;
  readonly text: string;
  readonly result: string;
}

/** The path at the port that only nodes know. */
const PATH = '/mails';
const TO_HEADER = 'x-mail-to';
const FROM_HEADER = 'x-mail-from';

/** A mail with the two addresses of its envelope. */
interface Mail {
  readonly address: string;
  readonly sender: string;
  readonly raw: Buffer;
}

const outcome = z.object({ code: z.number().int(), text: z.string(), result: z.string() });

/**
 * Hands a mail to the node that writes the realm of its address. Resolves with undefined if it is
 * not known what became of the mail, or that node does not write the realm.
 */
export function handMail(
  { host = '127.0.0.1', port, secret }: RelayTarget,
  mail: Mail & { readonly msMax: number },
): Promise<MailOutcome | undefined> {
  return new Promise((resolve) => {
    const asked = ask({
      host,
      port,
      path: PATH,
      method: 'POST',
      headers: {
        [GATEWAY_HEADER]: nameClient(secret, { address: '', host: '', isTls: false }),
        [TO_HEADER]: encodeURIComponent(mail.address),
        [FROM_HEADER]: encodeURIComponent(mail.sender),
        'content-length': mail.raw.length,
      },
      signal: AbortSignal.timeout(mail.msMax),
    });
    asked.on('error', () => resolve(undefined));
    asked.on('response', (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (chunk: string) => {
        text += chunk;
      });
      answer.on('error', () => resolve(undefined));
      answer.on('end', () => resolve(answer.statusCode === 200 ? outcomeIn(text) : undefined));
    });
    asked.end(mail.raw);
  });
}

function outcomeIn(text: string): MailOutcome | undefined {
  try {
    return outcome.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

interface MailsInput {
  /** The word by which nodes know each other's requests. */
  readonly secret: string;
  /** Takes a mail; resolves with undefined if this process does not write the realm. */
  readonly take: (mail: Mail) => Promise<MailOutcome | undefined>;
  /** Refuses bytes while too many are held. */
  readonly hold: () => { add(bytes: number): MailRefusal | undefined; release(): void };
}

interface MailRefusal {
  readonly responseCode: number;
  readonly message: string;
  readonly result: string;
}

/** Takes mails that have come in at other nodes. */
export function mountMails(app: TemplatedApp, input: MailsInput) {
  const nodes = fromGateways(input.secret, []);
  app.post(PATH, (res, req) => {
    // Other clients are not told that the path exists.
    if (nodes.forwarding(res, req) === null) return void req.setYield(true);
    const envelope = {
      address: decodeURIComponent(req.getHeader(TO_HEADER)),
      sender: decodeURIComponent(req.getHeader(FROM_HEADER)),
    };
    receive(res, envelope, input);
  });
}

function receive(res: HttpResponse, envelope: Omit<Mail, 'raw'>, { take, hold }: MailsInput) {
  const holding = hold();
  let chunks: Buffer[] = [];
  let isOpen = true;
  let refused: MailRefusal | undefined;
  const answer = (told: MailOutcome | undefined) => {
    holding.release();
    if (!isOpen) return;
    isOpen = false;
    res.cork(() => {
      res.writeStatus(told === undefined ? '503 Service Unavailable' : '200 OK');
      res.end(JSON.stringify(told ?? {}));
    });
  };
  res.onAborted(() => {
    isOpen = false;
    holding.release();
  });
  res.onData((chunk, isLast) => {
    refused ??= holding.add(chunk.byteLength);
    if (refused === undefined) chunks.push(Buffer.from(new Uint8Array(chunk)));
    else chunks = [];
    if (!isLast || !isOpen) return;
    if (refused === undefined)
      return void take({ ...envelope, raw: Buffer.concat(chunks) }).then(answer);
    const { responseCode: code, message: text, result } = refused;
    answer({ code, text, result });
  });
}
