import { z } from 'zod';
import { NOTICE_QUOTE_LENGTH_MAX } from '../../domain/limits/bots.ts';
import { cut, link, plain, shown, strong, unmentioning } from '../texts.ts';
import { markdownOfMrkdwn, markdownOfPlain } from './mrkdwn.ts';
import { richText } from './rich-text.ts';

/** Converts the blocks of a message to Markdown; unknown and empty blocks are left out. */
export const blocksAsMarkdown = (blocks: readonly unknown[]): string[] =>
  shown(blocks, (block) => {
    const known = BLOCK.safeParse(block);
    return known.success ? blockAsMarkdown(known.data).trim() : '';
  });

/** `type` is `plain_text` or `mrkdwn`. */
const TEXT = z.object({ type: z.string(), text: z.string() });
type Text = z.output<typeof TEXT>;

const ELEMENT = z.object({
  type: z.string(),
  text: z.union([z.string(), TEXT]).nullish(),
  url: z.string().nullish(),
  alt_text: z.string().nullish(),
  image_url: z.string().nullish(),
});
type Element = z.output<typeof ELEMENT>;

const elements = z.array(z.unknown());

const BLOCK = z.discriminatedUnion('type', [
  z.object({ type: z.literal('header'), text: TEXT }),
  z.object({
    type: z.literal('section'),
    text: TEXT.nullish(),
    fields: z.array(TEXT).nullish(),
    accessory: z.unknown().optional(),
  }),
  z.object({ type: z.literal('markdown'), text: z.string() }),
  z.object({ type: z.literal('context'), elements }),
  z.object({ type: z.literal('actions'), elements }),
  z.object({ type: z.literal('divider') }),
  z.object({
    type: z.literal('image'),
    image_url: z.string().nullish(),
    alt_text: z.string().nullish(),
    title: TEXT.nullish(),
  }),
  z.object({
    type: z.literal('video'),
    title: TEXT,
    title_url: z.string().nullish(),
    video_url: z.string().nullish(),
    description: TEXT.nullish(),
  }),
  z.object({ type: z.literal('rich_text'), elements }),
]);
type Block = z.output<typeof BLOCK>;

function blockAsMarkdown(block: Block): string {
  switch (block.type) {
    case 'header':
      return plain(block.text.text) && `## ${plain(block.text.text)}`;
    case 'section':
      return lines([
        block.text ? textAsMarkdown(block.text) : '',
        ...shown(block.fields ?? [], textAsMarkdown),
        elementAsMarkdown(block.accessory),
      ]);
    case 'markdown':
      return unmentioning(closed(cut(block.text, NOTICE_QUOTE_LENGTH_MAX)));
    case 'context':
      return shown(block.elements, elementAsMarkdown).join(' ');
    case 'actions':
      return shown(block.elements, elementAsMarkdown).join(' | ');
    case 'divider':
      return '---';
    case 'image':
      return link(plain(block.title?.text || block.alt_text || 'Image'), block.image_url);
    case 'video': {
      const title = link(strong(block.title.text), block.title_url ?? block.video_url);
      return lines([title, block.description ? textAsMarkdown(block.description) : '']);
    }
    case 'rich_text':
      return richText(block.elements);
  }
}

/** Converts a text, an image, or a button with a URL; other elements have no function here. */
function elementAsMarkdown(given: unknown): string {
  const known = ELEMENT.safeParse(given);
  if (!known.success) return '';
  const { type, text, url, alt_text, image_url } = known.data satisfies Element;
  if (type === 'image') return link(plain(alt_text || 'Image'), image_url);
  if (typeof text === 'string') return textAsMarkdown({ type, text });
  if (text == null) return '';
  return url ? link(plain(text.text), url) : '';
}

const textAsMarkdown = ({ type, text }: Text): string =>
  (type === 'mrkdwn' ? markdownOfMrkdwn : markdownOfPlain)(cut(text, NOTICE_QUOTE_LENGTH_MAX));

const lines = (parts: readonly string[]) => parts.filter((part) => part !== '').join('\n');

/** Closes an open fence at the end, because the author meant the Markdown as a whole message. */
function closed(markdown: string): string {
  let open: string | undefined;
  for (const line of markdown.split('\n')) {
    const fence = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence === undefined) continue;
    if (open === undefined) open = fence;
    else if (fence.startsWith(open) && line.trim() === fence) open = undefined;
  }
  return open === undefined ? markdown : `${markdown}\n${open}`;
}
