import { createHash } from 'node:crypto';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmReader } from '../../../storage/transaction.ts';
import { MAIL_LENGTH_MAX } from '../../domain/limits/outbox.ts';
import { EMPTY_TOPIC_DISPLAY_NAME, topicKey } from '../../domain/rules/messages/topic.ts';
import type { Trigger } from '../../domain/rules/people/notifications.ts';
import { escapeHtml } from '../../domain/rules/texts/html.ts';
import { mailHtml, mailText } from '../../domain/rules/texts/mail-html.ts';
import { mailLink, mailPage, mailTime } from '../../domain/rules/texts/mail-page.ts';
import { USER_SETTINGS } from '../../domain/wire/settings/user-settings.ts';
import type { Site } from '../access/caller.ts';
import { realmSetting } from '../access/groups.ts';
import type { Mail } from '../access/mails.ts';
import { urlOf } from '../posting/notices.ts';
import { type Missed, type MissedEntry, stillMissed } from './missed-messages.ts';
import { replyAddress } from './reply-addresses.ts';
import * as unsubscribing from './unsubscribing.ts';

/** A mail about missed messages, with all of its parts. */
export interface MissedMail extends Omit<Mail, 'from'> {
  readonly from: { readonly name: string; readonly address: string };
  readonly html: string;
  readonly messageId: string;
  readonly inReplyTo: string;
  readonly references: string;
  /** The address for answers; absent if the server receives no mails. */
  readonly replyTo?: string;
  readonly headers: Readonly<Record<string, string>>;
}

interface Source {
  readonly reader: RealmReader;
  readonly site: Site;
}

/**
 * Makes the mail at the time of its delivery, from what the messages say then. Returns undefined if
 * all of them were read, deleted or hidden meanwhile.
 */
export function mailFor(
  source: Source,
  {
    entryId,
    userId,
    messageIds,
    now,
  }: MissedEntry & {
    readonly entryId: number;
    /** UNIX milliseconds. */
    readonly now: number;
  },
): MissedMail | undefined {
  const { reader, site } = source;
  const user = reader.users.get([userId]);
  if (user === undefined) return undefined;
  const missed = stillMissed(reader, user, messageIds);
  const [first] = missed;
  if (first === undefined) return undefined;
  const shown = isContentAllowed(source, user)
    ? withContent(source, missed)
    : { name: realmName(source), subject: 'New messages', ...withoutContent(source) };
  const unsubscribeUrl = unsubscribing.urlOf(reader, site, { userId, mails: 'missed' });
  const replyTo =
    site.settings.mailIn === null
      ? undefined
      : replyAddress(reader, site, { userId, messageId: missed.at(-1)?.id ?? first.id, now });
  const subject = `${realmPrefix(source, user)}${shown.subject}`;
  const footer = footerOf(source, { first, unsubscribeUrl, isAnswered: replyTo !== undefined });
  return {
    from: { name: shown.name, address: `noreply@${site.mailHost}` },
    to: user.email,
    subject,
    text: `${shown.text}\n\n-- \n${footer.text}\n`,
    html: mailPage({
      title: subject,
      name: realmName(source),
      content: shown.html,
      footer: footer.html,
    }),
    // Each attempt has the same id, so that a mail which was sent twice is shown once.
    messageId: `<missed.${entryId}@${site.mailHost}>`,
    // Mails of one conversation share a reference, so that mail programs show them together.
    inReplyTo: conversationId(source, first),
    references: conversationId(source, first),
    ...(replyTo === undefined ? {} : { replyTo }),
    headers: {
      // RFC 2919: people have their mail programs sort mails by this.
      ...(first.channelId === null
        ? {}
        : { 'List-Id': `<channel-${first.channelId}.${site.mailHost}>` }),
      // RFC 2369 section 3.2, and RFC 8058 for a mail program that does it with one click.
      'List-Unsubscribe': `<${unsubscribeUrl}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    },
  };
}

const settingOf = <Name extends keyof typeof USER_SETTINGS>({ settings }: UserRow, name: Name) =>
  settings[name] ?? USER_SETTINGS[name].default;

export const isContentAllowed = ({ reader }: Source, user: UserRow): boolean =>
  realmSetting(reader, 'message_content_allowed_in_email_notifications') &&
  settingOf(user, 'message_content_in_email_notifications') === true;

const realmName = ({ reader }: Source) => reader.realm.get(['realm'])?.name ?? '';

/**
 * Policy 2 means always. "Automatic" is for people with accounts in other realms, which a realm
 * cannot know; every mail names the realm at its end anyway.
 */
const realmPrefix = (source: Source, user: UserRow) =>
  settingOf(user, 'realm_name_in_email_notifications_policy') === 2
    ? `[${realmName(source)}] `
    : '';

const withoutContent = ({ site }: Source) => ({
  text: `There are unread messages for you: ${site.url}/`,
  html: `<p>There are unread messages for you.</p>\n<p>${mailLink(`${site.url}/`, 'Read them', 'button')}</p>`,
});

/** Names in one line of a mail. */
const NAMES_MAX = 3;

function withContent(source: Source, missed: readonly Missed[]) {
  const { reader } = source;
  const nameOf = (userId: number) => reader.users.get([userId])?.fullName ?? '';
  const senders = [...new Set(missed.map(({ senderId }) => nameOf(senderId)))];
  const subject = subjectOf(source, missed, nameOf);
  const parts = fitting(missed.map((message) => partOf(source, message, nameOf(message.senderId))));
  return {
    name: namesIn(senders),
    subject,
    text: parts.map(({ text }) => text).join('\n\n'),
    html: `<h1>${escapeHtml(subject)}</h1>\n${parts.map(({ html }) => html).join('\n')}`,
  };
}

const namesIn = (names: readonly string[]) =>
  names.length <= NAMES_MAX
    ? names.join(', ')
    : `${names.slice(0, NAMES_MAX).join(', ')} and ${names.length - NAMES_MAX} more`;

function subjectOf(
  { reader }: Source,
  missed: readonly Missed[],
  nameOf: (userId: number) => string,
): string {
  const [first] = missed;
  if (first === undefined) return '';
  if (first.channelId !== null) {
    const channel = reader.channels.get([first.channelId])?.name ?? '';
    return `#${channel} > ${missed.at(-1)?.topic || EMPTY_TOPIC_DISPLAY_NAME}`;
  }
  const people = reader.conversations.get([first.recipientId])?.userIds ?? [];
  const others = people.length > 2 ? people : [first.senderId];
  const kind = people.length > 2 ? 'Group direct messages among' : 'Direct messages from';
  return `${kind} ${namesIn(others.map(nameOf))}`;
}

function partOf({ reader, site }: Source, message: Missed, sender: string): Part {
  const at = mailTime(message.sentAt);
  const url = urlOf(reader, site, message);
  const text = mailText(message.renderedContent, site.url, MAIL_LENGTH_MAX);
  const html = mailHtml(message.renderedContent, site.url);
  return {
    text: `${sender} (${at}):\n${text}`,
    html: `<p class="by"><b>${escapeHtml(sender)}</b> ${mailLink(url, at, 'at')}</p>\n<div class="said">${html}</div>`,
  };
}

/** One message in both formats of a mail. */
interface Part {
  readonly text: string;
  readonly html: string;
}

/** Returns the first part and as many more as fit, with the number of those left out. */
function fitting(parts: readonly Part[]): readonly Part[] {
  let length = 0;
  const isOver = ({ text, html }: Part) => {
    length += text.length + html.length;
    return length > MAIL_LENGTH_MAX;
  };
  const end = parts.findIndex((part, index) => isOver(part) && index > 0);
  if (end === -1) return parts;
  const rest = `And ${parts.length - end} more.`;
  return [...parts.slice(0, end), { text: rest, html: `<p>${rest}</p>` }];
}

const REASONS: Readonly<Record<Trigger, string>> = {
  direct_message: 'you were written to directly',
  mention: 'you were mentioned',
  topic_wildcard_mention: 'everybody in a topic you take part in was mentioned',
  channel_wildcard_mention: 'everybody in a channel you are in was mentioned',
  followed_topic: 'you follow the topic',
  channel_message: 'you want to be mailed of this channel',
};

/** Returns the end of a mail: how it is answered, why it was sent, and how such mails are ended. */
function footerOf(
  source: Source,
  {
    first,
    unsubscribeUrl,
    isAnswered,
  }: {
    readonly first: Missed;
    readonly unsubscribeUrl: string;
    /** Says whether an answer to the mail goes into the conversation. */
    readonly isAnswered: boolean;
  },
): Part {
  const { reader, site } = source;
  const url = urlOf(reader, site, first);
  const settingsUrl = `${site.url}/#settings/notifications`;
  const why = `You are mailed by ${realmName(source)} because ${REASONS[first.trigger]}.`;
  const answer = 'An answer to this mail goes into the conversation.';
  return {
    text: [
      ...(isAnswered ? [answer] : []),
      `Read and answer at ${url}`,
      why,
      `To be mailed otherwise, or not at all: ${settingsUrl}`,
      `To end these mails: ${unsubscribeUrl}`,
    ].join('\n'),
    html: [
      `<p>${isAnswered ? `${answer} ` : ''}${mailLink(url, 'Read and answer in the browser')}</p>`,
      `<p>${escapeHtml(why)}</p>`,
      `<p>${mailLink(settingsUrl, 'Settings of notifications')} · ${mailLink(unsubscribeUrl, 'End these mails')}</p>`,
    ].join('\n'),
  };
}

function conversationId({ site }: Source, { recipientId, topic }: Missed): string {
  const key = `${recipientId} ${topicKey(topic)}`;
  const hash = createHash('sha256').update(key).digest('hex').slice(0, 32);
  return `<conversation.${hash}@${site.mailHost}>`;
}
