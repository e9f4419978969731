import type { HistoryText } from '../../history.ts';
import { type Fields, firstText, partOf, partsOf, textOf } from '../shared/fields.ts';
import { codeBlock, codeOf, linkTo, quotedText, TextBuilder } from '../shared/texts.ts';

/**
 * Converts a block `rich_text`, which says without doubt what `text` only writes down. Returns null
 * if there is none, or if it has an element that is not known; `text` has the words of all.
 */
export function textOfRichText(blocks: unknown): HistoryText | null {
  const richTexts = partsOf(blocks).filter(({ type }) => type === 'rich_text');
  if (richTexts.length === 0 || richTexts.length < partsOf(blocks).length) return null;
  const builder = new TextBuilder();
  for (const block of richTexts) {
    for (const section of partsOf(block['elements'])) {
      if (!addSection(builder, section)) return null;
    }
  }
  return builder.finished();
}

function addSection(builder: TextBuilder, section: Fields): boolean {
  const inline = inlineOf(section['elements']);
  switch (section['type']) {
    case 'rich_text_section':
      if (!builder.isEmpty) builder.add('\n');
      if (inline === null) return false;
      builder.append(inline);
      return true;
    case 'rich_text_preformatted':
      if (!builder.isEmpty) builder.add('\n');
      builder.add(`${codeBlock(plainOf(section['elements']))}\n`);
      return true;
    case 'rich_text_quote':
      if (inline === null) return false;
      if (!builder.isEmpty) builder.add('\n');
      builder.append(quotedText(inline)).add('\n');
      return true;
    case 'rich_text_list':
      return addList(builder, section);
    default:
      return false;
  }
}

const INDENT_MAX = 8;

function addList(builder: TextBuilder, section: Fields): boolean {
  const indent = typeof section['indent'] === 'number' ? section['indent'] : 0;
  const isOrdered = section['style'] === 'ordered';
  const levels = Math.max(0, Math.min(INDENT_MAX, Math.floor(indent) || 0));
  const lead = (isOrdered ? '   ' : '  ').repeat(levels);
  if (!builder.isEmpty) builder.add('\n');
  for (const [index, item] of partsOf(section['elements']).entries()) {
    const inline = inlineOf(item['elements']);
    if (inline === null) return false;
    if (index > 0) builder.add('\n');
    builder.add(`${lead}${isOrdered ? `${index + 1}.` : '-'} `).append(inline);
  }
  builder.add('\n');
  return true;
}

function inlineOf(elements: unknown): HistoryText | null {
  const builder = new TextBuilder();
  for (const element of partsOf(elements)) if (!addInline(builder, element)) return null;
  return builder.finished();
}

function addInline(builder: TextBuilder, element: Fields): boolean {
  switch (element['type']) {
    case 'text':
      builder.add(styled(textOf(element['text']), partOf(element['style'])));
      return true;
    case 'link':
      builder.add(linkTo(textOf(element['url']), textOf(element['text'])));
      return true;
    case 'user':
      return named(element['user_id'], (id) => builder.mention(id));
    case 'channel':
      return named(element['channel_id'], (id) => builder.channel(id));
    case 'usergroup':
      return named(element['usergroup_id'], (id) => builder.group(id));
    case 'broadcast':
      builder.mentionAll();
      return true;
    case 'emoji':
      builder.add(`:${textOf(element['name']).split('::')[0]}:`);
      return true;
    case 'date':
      builder.add(dateOf(element));
      return true;
    case 'color':
      builder.add(firstText(element['value']));
      return true;
    default:
      return false;
  }
}

function named(id: unknown, add: (id: string) => unknown): boolean {
  const text = textOf(id);
  if (text === '') return false;
  add(text);
  return true;
}

const dateOf = ({ timestamp, fallback }: Fields): string =>
  Number.isSafeInteger(timestamp) ? `<time:${String(timestamp)}>` : textOf(fallback);

/** Blanks stay outside of marks, which would not be marks otherwise. */
function styled(text: string, style: Fields): string {
  if (style['code'] === true) return codeOf(text);
  const core = text.trim();
  const literal = escaped(core);
  if (core === '' || core.includes('\n')) return escaped(text);
  const marks = [
    style['strike'] === true ? '~~' : '',
    style['bold'] === true ? '**' : '',
    style['italic'] === true ? '*' : '',
  ].join('');
  const start = text.indexOf(core);
  const closing = Array.from(marks).reverse().join('');
  return text.slice(0, start) + marks + literal + closing + text.slice(start + core.length);
}

const escaped = (text: string): string => text.replace(/[\\*~`[\]]/g, '\\$&');

const plainOf = (elements: unknown): string =>
  partsOf(elements)
    .map((element) => textOf(element['text']) || textOf(element['url']))
    .join('');
