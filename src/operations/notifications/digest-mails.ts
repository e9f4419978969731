import type { RealmReader } from '../../../storage/transaction.ts';
import { DIGEST_MS_MAX, DIGEST_PEOPLE_NAMED_MAX } from '../../domain/limits/outbox.ts';
import { EMPTY_TOPIC_DISPLAY_NAME } from '../../domain/rules/messages/topic.ts';
import { escapeHtml } from '../../domain/rules/texts/html.ts';
import { noticeText } from '../../domain/rules/texts/html-text.ts';
import { mailLink, mailPage } from '../../domain/rules/texts/mail-page.ts';
import type { Site } from '../access/caller.ts';
import { type Digest, digestOf, type HotTopic } from './digest-contents.ts';
import { isWanted, lastThere } from './digest-plan.ts';
import { isContentAllowed, type MissedMail } from './missed-mails.ts';
import * as unsubscribing from './unsubscribing.ts';

type DigestMail = Omit<MissedMail, 'inReplyTo' | 'references' | 'replyTo'>;

interface Source {
  readonly reader: RealmReader;
  readonly site: Site;
}

/**
 * Makes a weekly mail at the time of its delivery. Returns undefined if there is nothing to tell,
 * or the person has come back or wants no such mails any more.
 */
export function digestFor(
  source: Source,
  { userId, entryId, now }: { userId: number; entryId: number; now: number },
): DigestMail | undefined {
  const { reader, site } = source;
  const user = reader.users.get([userId]);
  if (user === undefined || !isWanted(reader, user, now)) return undefined;
  const since = Math.max(lastThere(reader, user), now - DIGEST_MS_MAX);
  const digest = digestOf(reader, user, Math.floor(since / 1000));
  if (digest.topics.length === 0 && digest.newChannels.length === 0) return undefined;
  const realm = reader.realm.get(['realm'])?.name ?? '';
  const shown = isContentAllowed(source, user)
    ? contentOf(source, digest)
    : withoutContent(site, digest);
  const unsubscribeUrl = unsubscribing.urlOf(reader, site, { userId, mails: 'digests' });
  const subject = `While you were away from ${realm}`;
  const footer = `${realm} sends such a mail once a week to people who were away.`;
  return {
    from: { name: realm, address: `noreply@${site.mailHost}` },
    to: user.email,
    subject,
    text: `${shown.text}\n\n-- \n${footer}\nTo end these mails: ${unsubscribeUrl}\n`,
    html: mailPage({
      title: subject,
      name: realm,
      content: `<h1>${escapeHtml(subject)}</h1>\n${shown.html}`,
      footer: `<p>${escapeHtml(footer)} ${mailLink(unsubscribeUrl, 'End these mails')}</p>`,
    }),
    messageId: `<digest.${entryId}@${site.mailHost}>`,
    headers: {
      'List-Id': `<digests.${site.mailHost}>`,
      'List-Unsubscribe': `<${unsubscribeUrl}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    },
  };
}

const counted = (count: number, word: string) => `${count} ${word}${count === 1 ? '' : 's'}`;

function withoutContent({ url }: Site, { topics, newChannels }: Digest) {
  const text = `There are messages in ${counted(topics.length, 'topic')}, and ${counted(newChannels.length, 'new channel')}.`;
  return {
    text: `${text}\n${url}/`,
    html: `<p>${text}</p>\n<p>${mailLink(`${url}/`, 'Read them', 'button')}</p>`,
  };
}

/** Characters of the description of a new channel that are shown. */
const DESCRIPTION_LENGTH_MAX = 200;

function contentOf(source: Source, { topics, newChannels }: Digest) {
  const lines = topics.map((topic) => topicLine(source, topic));
  const channels = newChannels.map(({ id, name, renderedDescription }) => ({
    title: `#${name}`,
    url: `${source.site.url}/#narrow/channel/${id}`,
    more: noticeText(renderedDescription, DESCRIPTION_LENGTH_MAX).replace(/\s+/g, ' '),
  }));
  const parts = [
    { title: 'What was talked about', lines },
    { title: 'New channels', lines: channels },
  ].filter((part) => part.lines.length > 0);
  return {
    text: parts
      .map(
        (part) =>
          `${part.title}\n\n${part.lines.map(({ title, url, more }) => `* ${title}${more === '' ? '' : `: ${more}`}\n  ${url}`).join('\n')}`,
      )
      .join('\n\n'),
    html: parts
      .map(
        (part) =>
          `<h2>${part.title}</h2>\n<ul>\n${part.lines.map(({ title, url, more }) => `<li>${mailLink(url, title)}${more === '' ? '' : `<br>${escapeHtml(more)}`}</li>`).join('\n')}\n</ul>`,
      )
      .join('\n'),
  };
}

function topicLine({ reader, site }: Source, topic: HotTopic) {
  const { channel, name, messageCount, senderIds, newestId } = topic;
  const names = senderIds
    .slice(0, DIGEST_PEOPLE_NAMED_MAX)
    .map((id) => reader.users.get([id])?.fullName ?? '');
  const rest = senderIds.length - names.length;
  return {
    title: `#${channel.name} > ${name || EMPTY_TOPIC_DISPLAY_NAME}`,
    url: `${site.url}/#narrow/channel/${channel.id}/near/${newestId}`,
    more: `${counted(messageCount, 'message')} by ${names.join(', ')}${rest === 0 ? '' : ` and ${rest} more`}`,
  };
}
