import { createHash } from 'node:crypto';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import { MESSAGE_LENGTH_MAX } from '../../domain/limits/messages.ts';
import { acceptableTopic, isLongTopic } from '../../domain/rules/messages/topic.ts';
import * as errors from '../../domain/wire/errors.ts';
import type { Site } from '../access/caller.ts';
import type { Reads } from '../access/groups.ts';
import * as addresses from '../channels/addresses.ts';
import * as attachmentLinks from '../files/attachment-links.ts';
import type { Destination } from '../posting/conversations.ts';
import * as messages from '../posting/messages.ts';
import * as notices from '../posting/notices.ts';
import { acceptableContent, refuseTopic } from '../posting/sending-rules.ts';
import type { MailOrigin } from './automatic-mails.ts';
import { addFiles, type MailFile } from './mail-files.ts';
import { answered, type MailReply } from './reply-addresses.ts';

/** A mail as it was read, in Markdown. */
export interface ReadMail {
  /** The `Message-ID`, or a hash of the mail if it has none. */
  readonly id: string;
  readonly subject: string;
  /** The author by the header `From`, or else the sender by the envelope; may be empty. */
  readonly author: string;
  /** The address of the author in lower case; empty if it is missing. */
  readonly authorAddress: string;
  readonly text: string;
  readonly origin: MailOrigin;
}

const CLIENT = 'Email';

type Known = { readonly kind: 'channel' | 'reply' } | { readonly why: string };

/** Tells what the part of an address before the @ is for, or why it is for nothing now. */
export function kindOf(tx: Reads, local: string, now: number): Known {
  if (tx.realm.get(['realm'])?.isActive === false) {
    return { why: 'this organization is deactivated' };
  }
  const target = addresses.addressed(tx, local);
  if (target !== undefined) return 'why' in target ? target : { kind: 'channel' };
  const reply = answered(tx, local, now);
  return 'why' in reply ? reply : { kind: 'reply' };
}

interface Coming {
  readonly mail: ReadMail;
  readonly files: readonly MailFile[];
  readonly repeatKeys: readonly string[];
}

/** The message that a mail has become. */
export interface Taken {
  readonly id: number;
  /** The paths of the files that it links: the bytes of the others are not needed. */
  readonly pathIds: readonly string[];
}

/**
 * Makes a message of a mail. A mail that comes again, because its sender was not told that it had
 * arrived, sends nothing and adds no files.
 */
export function accept(
  tx: RealmTransaction,
  site: Site,
  input: {
    readonly local: string;
    readonly mail: ReadMail;
    readonly files: readonly MailFile[];
  },
): Taken {
  const { local, mail, files } = input;
  const key = createHash('sha256').update(`${local.toLowerCase()} ${mail.id}`).digest('hex');
  const coming = { mail, files, repeatKeys: [`mail:${key}`] };
  const target = addresses.addressed(tx, local);
  if (target !== undefined) {
    if ('why' in target) throw errors.badRequest(target.why);
    return toChannel(tx, site, { ...coming, target });
  }
  const reply = answered(tx, local, tx.now);
  if ('why' in reply) throw errors.badRequest(reply.why);
  return toConversation(tx, site, { ...coming, reply });
}

function toConversation(
  tx: RealmTransaction,
  site: Site,
  { reply, mail, files, repeatKeys }: Coming & { readonly reply: MailReply },
): Taken {
  const { user } = reply;
  const repeated = messages.idempotencyResult(tx, user.id, repeatKeys);
  if (repeated !== undefined) return { id: repeated.id, pathIds: [] };
  // A mail that was passed on may be answered by somebody else: readers are told.
  const isOwn = mail.authorAddress === user.email.toLowerCase();
  const by = isOwn ? '' : byLine(mail);
  const { text, pathIds } = addFiles(tx, user, files);
  const { id } = messages.send(
    tx,
    { user, site, client: CLIENT },
    {
      destination: destinationOf(tx, reply),
      content: acceptableContent(contentOf(mail, { by, end: text })),
      isReadBySender: true,
      repeatKeys,
    },
  );
  return { id, pathIds };
}

/**
 * The author is named if the message is of a bot: it would not be known otherwise. The files belong
 * to the user who requested the address if the sender is the bot of the service.
 */
function toChannel(
  tx: RealmTransaction,
  site: Site,
  { target, mail, files, repeatKeys }: Coming & { readonly target: addresses.ChannelMail },
): Taken {
  const { channel, owner, sender: user } = target;
  const repeated = messages.idempotencyResult(tx, user.id, repeatKeys);
  if (repeated !== undefined) return { id: repeated.id, pathIds: [] };
  const topic = acceptableTopic(mail.subject);
  const destination = { channel, topic };
  if (user.isSystem) refuseTopic(tx, destination);
  const by = `${user.id === owner.id ? '' : byLine(mail)}${subjectLine(mail, topic)}`;
  const { text, ids, pathIds } = addFiles(tx, user.isSystem ? owner : user, files);
  const content = acceptableContent(contentOf(mail, { by, end: text }));
  if (!user.isSystem) {
    const caller = { user, site, client: CLIENT };
    const isReadBySender = user.id === owner.id;
    const { id } = messages.send(tx, caller, { destination, content, isReadBySender, repeatKeys });
    return { id, pathIds };
  }
  // A stranger who has the address must not call everybody in the name of the service.
  const notice = { channel, topic, content, isQuoting: true, readAs: owner };
  const { id } = notices.toChannel(tx, site, notice);
  attachmentLinks.claimAdded(tx, id, ids);
  for (const key of repeatKeys) messages.rememberResult(tx, user.id, key, { id });
  return { id, pathIds };
}

const byLine = ({ author }: ReadMail) => (author === '' ? '' : `**From:** ${author}\n\n`);

/** Returns the subject as a line of the message, if the topic had to be cut. */
const subjectLine = ({ subject }: ReadMail, topic: string) =>
  isLongTopic(subject) && topic !== subject ? `**Subject:** ${subject}\n\n` : '';

/** Returns the content, cut to the length of a message: a mail is not written for that bound. */
function contentOf({ text }: ReadMail, { by = '', end }: { by?: string; end: string }): string {
  const room = MESSAGE_LENGTH_MAX - by.length - end.length - CUT.length;
  const body = text.length > room ? `${notices.cutAt(text, room)}${CUT}` : text;
  return `${by}${body.trim() === '' ? '(no text)' : body}${end}`.trim();
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
