import { createTransport, type SendMailOptions } from 'nodemailer';
import type { Client } from '../client.ts';
import type { TestServer } from '../start-server.ts';
import type { Person } from '../users.ts';

/** Settings of a server that receives mails. */
export const MAIL_IN = { CONFAB_MAIL_IN: '127.0.0.1:0' };
export const FRIEND = 'friend@elsewhere.example';

export interface Outcome {
  readonly code: number;
  readonly text: string;
}

/** A server that receives mails. */
export interface MailPlace {
  readonly app: { readonly mailInPort: number | null };
}

/** Hands a mail over as a relay does, and returns the answer. */
export const mailed = ({ app }: MailPlace, mail: SendMailOptions): Promise<Outcome> =>
  mailedTo(app.mailInPort ?? 0, mail);

export async function mailedTo(port: number, mail: SendMailOptions): Promise<Outcome> {
  const transport = createTransport({ host: '127.0.0.1', port, ignoreTLS: true });
  try {
    const { response } = await transport.sendMail({ from: FRIEND, ...mail });
    return { code: 250, text: response };
  } catch (error) {
    const { responseCode, message } = error as Error & { responseCode: number };
    return { code: responseCode, text: message };
  }
}

/** Returns the mail address of `general`; without a sender, the notification bot is it. */
export const channelAddress = (server: TestServer, as: Person, sender?: number) =>
  addressAt(server, as, sender);

export async function addressAt(server: Client, as: Person, sender?: number): Promise<string> {
  const { body: ids } = await server.get(as, '/get_stream_id', { stream: 'general' });
  const query = sender === undefined ? {} : { sender_id: sender };
  const { body } = await server.get(as, `/streams/${String(ids.stream_id)}/email_address`, query);
  return String(body.email);
}

export interface Shown {
  readonly id: number;
  readonly content: string;
  readonly subject: string;
  readonly sender_id: number;
}

export const contentsAt = async (server: Client, as: Person): Promise<readonly string[]> =>
  (await messagesOf(server, as)).map(({ content }) => content);

/** Returns the newest messages as they were written. */
export async function messagesOf(server: Client, as: Person): Promise<readonly Shown[]> {
  const { body } = await server.get(as, '/messages', {
    anchor: 'newest',
    num_before: 20,
    num_after: 0,
    apply_markdown: false,
  });
  return body.messages as readonly Shown[];
}
