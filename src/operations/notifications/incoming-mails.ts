import { createHash } from 'node:crypto';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import { MESSAGE_LENGTH_MAX } from '../../domain/limits/messages.ts';
import { acceptableTopic } from '../../domain/rules/messages/topic.ts';
import * as errors from '../../domain/wire/errors.ts';
import type { Site } from '../access/caller.ts';
import type { Reads } from '../access/groups.ts';
import * as addresses from '../channels/addresses.ts';
import type { Destination } from '../posting/conversations.ts';
import * as messages from '../posting/messages.ts';
import * as notices from '../posting/notices.ts';
import { acceptableContent, refuseTopic } from '../posting/sending-rules.ts';
import { answered, type MailReply } from './reply-addresses.ts';

/** A mail as it was read, in Markdown. */
export interface ReadMail {
  /** The `Message-ID`, or a hash of the mail if it has none. */
  readonly id: string;
  readonly subject: string;
  /** The author by the header `From`; empty if it is missing. */
  readonly author: string;
  readonly text: string;
  readonly attachments: readonly string[];
  /** True if a program has sent it in answer to another mail, or to a list (RFC 3834). */
  readonly isAutomatic: boolean;
}

const CLIENT = 'Email';

/** Tells what the part of an address before the @ is for; undefined if it is nobody's. */
export function kindOf(tx: Reads, local: string, now: number): 'channel' | 'reply' | undefined {
  if (addresses.addressed(tx, local) !== undefined) return 'channel';
  return answered(tx, local, now) === undefined ? undefined : 'reply';
}

/**
 * Makes a message of a mail. A mail that comes again, because its sender was not told that it had
 * arrived, sends nothing.
 */
export function accept(
  tx: RealmTransaction,
  site: Site,
  { local, mail }: { readonly local: string; readonly mail: ReadMail },
): messages.Sent {
  const key = createHash('sha256').update(`${local.toLowerCase()} ${mail.id}`).digest('hex');
  const repeatKeys = [`mail:${key}`];
  const target = addresses.addressed(tx, local);
  if (target !== undefined) return toChannel(tx, site, { target, mail, repeatKeys });
  const reply = answered(tx, local, tx.now);
  if (reply === undefined) throw errors.badRequest('There is no such address');
  if (mail.isAutomatic) throw errors.badRequest('Automatic replies are not taken');
  const { user } = reply;
  return messages.send(
    tx,
    { user, site, client: CLIENT },
    {
      destination: destinationOf(tx, reply),
      content: acceptableContent(contentOf(mail)),
      isReadBySender: true,
      repeatKeys,
    },
  );
}

interface ToChannel {
  readonly target: addresses.ChannelMail;
  readonly mail: ReadMail;
  readonly repeatKeys: readonly string[];
}

/** The author is named if the message is of a bot: it would not be known otherwise. */
function toChannel(
  tx: RealmTransaction,
  site: Site,
  { target, mail, repeatKeys }: ToChannel,
): messages.Sent {
  const { channel, owner, sender: user } = target;
  const topic = acceptableTopic(mail.subject);
  const by = user.id === owner.id || mail.author === '' ? '' : `**From:** ${mail.author}\n\n`;
  const content = acceptableContent(contentOf(mail, by));
  const destination = { channel, topic };
  if (!user.isSystem) {
    const caller = { user, site, client: CLIENT };
    const isReadBySender = user.id === owner.id;
    return messages.send(tx, caller, { destination, content, isReadBySender, repeatKeys });
  }
  const repeated = messages.idempotencyResult(tx, user.id, repeatKeys);
  if (repeated !== undefined) return repeated;
  refuseTopic(tx, destination);
  // A stranger who has the address must not call everybody in the name of the service.
  const notice = { channel, topic, content, isQuoting: true, readAs: owner };
  const { id } = notices.toChannel(tx, site, notice);
  for (const key of repeatKeys) messages.rememberResult(tx, user.id, key, { id });
  return { id };
}

/** Returns the content, cut to the length of a message: a mail is not written for that bound. */
function contentOf({ text, attachments }: ReadMail, by = ''): string {
  const files = attachments.map((name) => `\n- ${name}`).join('');
  const end = files === '' ? '' : `\n\nAttached files, which are not shown here:\n${files}`;
  const room = MESSAGE_LENGTH_MAX - by.length - end.length - CUT.length;
  const body = text.length > room ? `${notices.cutAt(text, room)}${CUT}` : text;
  return `${by}${body.trim() === '' ? '(no text)' : body}${end}`;
}

const CUT = '\n\n(The mail was longer.)';

/** Returns the present place of the message, which may have been moved. */
function destinationOf(tx: RealmTransaction, { user, message }: MailReply): Destination {
  if (message.channelId !== null) {
    const channel = tx.channels.get([message.channelId]);
    if (channel === undefined) throw errors.invalidChannelId();
    return { channel, topic: message.topic };
  }
  const userIds = tx.conversations.get([message.recipientId])?.userIds ?? [];
  const people: UserRow[] = [];
  for (const id of userIds) {
    const person = id === user.id ? undefined : tx.users.get([id]);
    if (person !== undefined) people.push(person);
  }
  return { people: people.length === 0 ? [user] : people };
}
