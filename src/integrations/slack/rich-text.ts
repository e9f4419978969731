import { z } from 'zod';
import { NOTICE_QUOTE_LENGTH_MAX } from '../../domain/limits/bots.ts';
import { code, codeBlock, cut, link, plain, shown } from '../texts.ts';
import { markdownOfPlain } from './mrkdwn.ts';

/**
 * Converts the text as an editor of Slack stores it: sections, lists, quotes and code of styled
 * pieces.
 */
export const richText = (elements: readonly unknown[]): string =>
  shown(elements, partAsMarkdown).join('\n');

const STYLE = z.object({
  bold: z.boolean().nullish(),
  italic: z.boolean().nullish(),
  strike: z.boolean().nullish(),
  code: z.boolean().nullish(),
});
type Style = z.output<typeof STYLE>;

const PIECE = z.object({
  type: z.string(),
  text: z.string().nullish(),
  url: z.string().nullish(),
  name: z.string().nullish(),
  user_id: z.string().nullish(),
  usergroup_id: z.string().nullish(),
  channel_id: z.string().nullish(),
  range: z.string().nullish(),
  fallback: z.string().nullish(),
  value: z.string().nullish(),
  style: STYLE.nullish().catch(null),
});
type Piece = z.output<typeof PIECE>;

const PART = z.object({
  type: z.string(),
  style: z.unknown().optional(),
  indent: z.int().min(0).max(8).nullish().catch(0),
  elements: z.array(z.unknown()),
});

function partAsMarkdown(given: unknown): string {
  const known = PART.safeParse(given);
  if (!known.success) return '';
  const { type, style, indent, elements } = known.data;
  if (type === 'rich_text_list') {
    const bullet = style === 'ordered' ? '1. ' : '- ';
    const margin = '  '.repeat(indent ?? 0);
    const line = (item: unknown) => `${margin}${bullet}${onOneLine(partAsMarkdown(item))}`;
    return shown(elements, line).join('\n');
  }
  if (type === 'rich_text_preformatted') {
    return codeBlock(shown(elements, bareText).join(''), '', NOTICE_QUOTE_LENGTH_MAX);
  }
  const text = shown(elements, pieceAsMarkdown).join('').trim();
  if (type === 'rich_text_quote') return text.replace(/^/gm, '> ');
  return type === 'rich_text_section' ? text : '';
}

const onOneLine = (text: string) =>
  text.replace(/\s+/g, (blanks) => (blanks.includes('\n') ? ' ' : blanks));

function bareText(given: unknown): string {
  const known = PIECE.safeParse(given);
  return known.success ? (known.data.text ?? known.data.url ?? '') : '';
}

function pieceAsMarkdown(given: unknown): string {
  const known = PIECE.safeParse(given);
  if (!known.success) return '';
  const { style, ...piece } = known.data;
  return styled(unstyled(piece, style?.code === true), style ?? {});
}

function unstyled(piece: Omit<Piece, 'style'>, isCode: boolean): string {
  const text = cut(piece.text ?? '', NOTICE_QUOTE_LENGTH_MAX);
  switch (piece.type) {
    case 'text':
      return isCode ? code(text) : spaced(text, markdownOfPlain(text));
    case 'link':
      return link(plain(text || (piece.url ?? '')), piece.url);
    case 'emoji':
      return /^[\w+-]{1,60}$/.test(piece.name ?? '') ? `:${piece.name}:` : '';
    case 'user':
    case 'usergroup':
    case 'broadcast':
      return plain(`@${piece.user_id ?? piece.usergroup_id ?? piece.range ?? ''}`);
    case 'channel':
      return plain(`#${piece.channel_id ?? ''}`);
    default:
      return plain(piece.fallback ?? piece.value ?? '');
  }
}

/** Adds the blanks around a text, which separate it from its neighbours. */
const spaced = (text: string, markdown: string) =>
  markdown === ''
    ? (/\s/.exec(text)?.[0] ?? '')
    : `${text.slice(0, text.length - text.trimStart().length)}${markdown}${text.slice(text.trimEnd().length)}`;

/** Puts the markup inside of the blanks: it must not touch a blank on its inside. */
function styled(text: string, { bold, italic, strike }: Style): string {
  const mark = `${strike ? '~~' : ''}${bold ? '**' : ''}${italic ? '*' : ''}`;
  const bare = text.trim();
  if (mark === '' || bare === '') return text;
  const end = [...mark].reverse().join('');
  return text.replace(bare, () => `${mark}${bare}${end}`);
}
