import { z } from 'zod';
import { MESSAGE_LENGTH_MAX } from '../../domain/limits/messages.ts';
import * as errors from '../../domain/wire/errors.ts';
import type { Integration } from '../integration.ts';
import { read, someText } from '../payload.ts';
import { cut, joined, link, oneLine, plain, shown, strong, topicText } from '../texts.ts';
import { blocksAsMarkdown } from './blocks.ts';
import { markdownOfMrkdwn, markdownOfPlain } from './mrkdwn.ts';

/** Reads the payloads of programs that were written for Slack's incoming webhooks. */
export const slack: Integration = {
  displayName: 'Slack Incoming',
  eventTypes: null,
  notice(payload) {
    const message = read(MESSAGE, payload, 'Slack Incoming');
    const content = contentOf(message);
    if (content === '') {
      throw errors.badRequest('The payload has no text, no blocks and no attachments to show.');
    }
    return { names: [], topic: topicOf(message), content };
  },
};

const FIELD = z.object({ title: someText, value: z.union([z.string(), z.number()]).nullish() });

/** Only buttons with a URL count: pressing others would have no effect here. */
const BUTTON = z.object({ text: z.string(), url: z.string().min(1) });

const ATTACHMENT = z.object({
  fallback: someText,
  pretext: someText,
  author_name: someText,
  author_link: someText,
  title: someText,
  title_link: someText,
  text: someText,
  fields: z.array(FIELD).nullish(),
  image_url: someText,
  thumb_url: someText,
  footer: someText,
  actions: z.array(z.unknown()).nullish().catch(null),
  blocks: z.array(z.unknown()).nullish(),
});

const MESSAGE = z.object({
  text: someText,
  mrkdwn: z.boolean().nullish(),
  channel: someText,
  icon_emoji: someText,
  blocks: z.array(z.unknown()).nullish(),
  attachments: z.array(ATTACHMENT).nullish(),
});

type Message = z.output<typeof MESSAGE>;
type Attachment = z.output<typeof ATTACHMENT>;

/**
 * Returns the topic. Slack's `channel` has no other meaning here; without one the topic is empty.
 */
const topicOf = ({ channel }: Message) => topicText((channel ?? '').replace(/^[@#]/, ''));

/** Returns the content. If there are blocks, the text is only their fallback. */
function contentOf({ text, mrkdwn, icon_emoji, blocks, attachments }: Message): string {
  const shownBlocks = blocksAsMarkdown(blocks ?? []);
  const shownText = mrkdwn === false ? markdownOfPlain(bounded(text)) : formatted(text);
  const first = shownBlocks.length > 0 ? shownBlocks : [shownText];
  const parts = [...first, ...attachmentsAsMarkdown(attachments ?? [])].filter(
    (part) => part !== '',
  );
  const [start, ...rest] = parts;
  if (start === undefined) return '';
  const icon = /^:[\w+-]{1,60}:$/.test(icon_emoji ?? '') ? `${icon_emoji} ` : '';
  return joined([icon + start, ...rest], '\n\n');
}

/** Returns the parts of as many attachments as a message can hold. */
function attachmentsAsMarkdown(attachments: readonly Attachment[]): string[] {
  const parts: string[] = [];
  shown(attachments, (attachment) => {
    const own = attachmentAsMarkdown(attachment);
    parts.push(...own);
    return own.join('');
  });
  return parts;
}

function attachmentAsMarkdown(attachment: Attachment): string[] {
  const { author_name, author_link, title, title_link, image_url, thumb_url, footer } = attachment;
  const parts = [
    formatted(attachment.pretext),
    author_name ? link(plain(author_name), author_link) : '',
    title ? link(strong(title), title_link) : '',
    formatted(attachment.text),
    ...blocksAsMarkdown(attachment.blocks ?? []),
    fieldsAsMarkdown(attachment.fields ?? []),
    buttonsAsMarkdown(attachment.actions ?? []),
    ...[image_url, thumb_url].map((url) => (url ? link(plain(title || 'Image'), url) : '')),
  ].filter((part) => part !== '');
  if (parts.length === 0) return [formatted(attachment.fallback)];
  return footer ? [...parts, `*${plain(footer)}*`] : parts;
}

const fieldsAsMarkdown = (fields: readonly z.output<typeof FIELD>[]) =>
  shown(fields, ({ title, value }) => {
    const text = formatted(String(value ?? ''));
    return oneLine(title ?? '') === '' ? text : `${strong(title)}: ${text}`;
  }).join('\n');

const buttonsAsMarkdown = (actions: readonly unknown[]) =>
  shown(actions, (action) => {
    const button = BUTTON.safeParse(action).data;
    return button ? link(plain(button.text), button.url) : '';
  }).join(' | ');

const formatted = (text: string | null | undefined) => markdownOfMrkdwn(bounded(text));

/** Cuts a part so that it fits into a message, whatever its markup adds. */
const bounded = (text: string | null | undefined) => cut(text ?? '', MESSAGE_LENGTH_MAX / 2);
