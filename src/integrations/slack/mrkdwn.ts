import { link, literal, plain, unmentioning } from '../texts.ts';

/**
 * Converts the markup of Slack to Markdown: `*bold*`, `_italic_`, `~struck~`,
 * `<https://x.org|label>`, mentions as text. An open block of code is closed at its end, so that no
 * later text becomes a part of it.
 */
export function markdownOfMrkdwn(text: string): string {
  const kept: string[] = [];
  const keep = (markdown: string) => `\0${kept.push(markdown) - 1}\0`;
  const formatted = text
    .replace(PLACEHOLDERS, '')
    .replace(/\r\n?/g, '\n')
    .replace(/```[\s\S]*?(?:```|$)/g, (block) => keep(blockOf(entities(block))))
    .replace(/^[ \t]*(?=~~~)/gm, '$&\\')
    .replace(/`[^`\n]+`/g, (span) => keep(entities(span)))
    .replace(/<([^<>\n]+)>/g, (_, inside: string) => keep(special(inside)))
    .replace(/(?<![\w*])\*(?=[^\s*])([^*\n]*[^\s*])\*(?![\w*])/g, '\x01$1\x01')
    .replace(/(?<![\w_])_(?=[^\s_])([^_\n]*[^\s_])_(?![\w_])/g, '\x02$1\x02')
    .replace(/(?<![\w~])~(?=[^\s~])([^~\n]*[^\s~])~(?![\w~])/g, '\x03$1\x03')
    .replaceAll('\x01', '**')
    .replaceAll('\x02', '*')
    .replaceAll('\x03', '~~');
  const whole = entities(formatted).replace(
    /\0(\d+)\0/g,
    (_, at: string) => kept[Number(at)] ?? '',
  );
  return commandless(unmentioning(whole.trim()));
}

/** Converts text of Slack without markup, shown as it reads. */
export const markdownOfPlain = (text: string): string =>
  unmentioning(literal(entities(text.replace(PLACEHOLDERS, '').replace(/\r\n?/g, '\n')).trim()));

const entities = (text: string): string =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');

/** Characters that replace parts of a text while it is taken apart. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they stand for something else here, and in no text.
const PLACEHOLDERS = /[\0-\x03]/g;

/** Escapes `/poll` and the like, which are commands of people. */
const commandless = (markdown: string) => markdown.replace(/^\/(?=\w)/, '\\/');

/** Puts the fences on lines of their own, as Markdown requires. */
function blockOf(block: string): string {
  const inside = block
    .slice(3)
    .replace(/```$/, '')
    .replace(/^\n|\n$/g, '');
  return `\n\`\`\`\n${inside}\n\`\`\`\n`;
}

/** Converts the text between `<` and `>`: a link, a user, a channel, a group, a date. */
function special(inside: string): string {
  const bar = inside.indexOf('|');
  const target = bar < 0 ? inside : inside.slice(0, bar);
  const label = bar < 0 ? '' : entities(inside.slice(bar + 1));
  if (target.startsWith('@') || target.startsWith('#'))
    return named(target.slice(0, 1), target, label);
  if (target.startsWith('!date^')) return plain(label);
  if (target.startsWith('!subteam^')) return named('@', target.slice(8), label);
  if (target.startsWith('!')) return named('@', target, label);
  const url = entities(target);
  const shown = label === '' ? url.replace(/^mailto:/, '') : label;
  return link(styled(shown), url);
}

/**
 * Converts a label that is bold, italic or struck as a whole; other markup in it has no meaning.
 */
function styled(label: string): string {
  const [, mark, inside] = /^([*_~])([^\s*_~](?:[^*_~]*[^\s*_~])?)\1$/.exec(label) ?? [];
  if (mark === undefined || inside === undefined) return plain(label);
  const around = { '*': '**', _: '*', '~': '~~' }[mark] ?? '';
  return `${around}${plain(inside)}${around}`;
}

const named = (sign: string, target: string, label: string) =>
  plain(`${sign}${(label || target.slice(1)).replace(/^[@#]/, '')}`);
