import { z } from 'zod';
import { MESSAGE_LENGTH_MAX } from '../../domain/limits.ts';
import * as errors from '../../domain/wire/errors.ts';
import type { Integration } from '../integration.ts';
import { read, someText } from '../payload.ts';
import { cut, joined, link, oneLine, plain, shown, strong, topicText } from '../texts.ts';
import { blocksAsMarkdown } from './blocks.ts';
import { markdownOfMrkdwn, markdownOfPlain } from './mrkdwn.ts';

/** What programs post that were written for the incoming webhooks of Slack. */
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

/** Of the buttons those that lead somewhere: nobody waits here for the others to be pressed. */
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

/** The channel there is none here, but what the message is about; without one it has no topic. */
const topicOf = ({ channel }: Message) => topicText((channel ?? '').replace(/^[@#]/, ''));

/** With blocks the text is what is shown where blocks cannot be. */
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

/** The parts of as many as a message holds. */
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

/** A part by itself fits into a message, whatever its markup adds. */
const bounded = (text: string | null | undefined) => cut(text ?? '', MESSAGE_LENGTH_MAX / 2);
