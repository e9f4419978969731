import type { StateInline } from 'markdown-it';
import * as emoji from '../../domain/rules/texts/emoji.ts';
import { escapeHtml } from '../library.ts';
import { hasRoomFor, type Rendering, renderingOf } from '../rendering.ts';

/** A name between words is a part of them: `root:x:0`, `b8:ca:3a` (docs/decisions/0031). */
const NAME = /(?:(?<!\w):([\w+-]+):|:([\w+-]+):(?!\w))/y;

/** Reads `:smile:`; an unknown name stays text (reference/endpoints.md 5.4). */
export function emojiName(state: StateInline, silent: boolean): boolean {
  if (state.src[state.pos] !== ':') return false;
  NAME.lastIndex = state.pos;
  const match = NAME.exec(state.src);
  const name = match?.[1] ?? match?.[2];
  if (name === undefined || NAME.lastIndex > state.posMax) return false;
  const rendering = renderingOf(state.env);
  const html = namedHtml(rendering, name);
  // The second colon may begin another name.
  if (html === null || (!silent && !hasRoomFor(rendering, html))) return false;
  if (!silent) state.push('finished_html', '', 0).content = html;
  state.pos = NAME.lastIndex;
  return true;
}

/**
 * Returns the emoji of a name. An emoji of the realm precedes one of Unicode with the same name.
 */
function namedHtml({ directory }: Rendering, name: string): string | null {
  const custom = directory.customEmoji(name);
  if (custom !== undefined) return imageHtml(name, custom.src);
  if (emoji.isExtraEmoji(name, directory.aliasPrefix)) return imageHtml(name, EXTRA_EMOJI_SRC);
  const code = emoji.codeOf(name);
  return code === undefined ? null : characterHtml(name, code);
}

/** The path of the image; a client without it shows the name. */
const EXTRA_EMOJI_SRC = '/static/images/emoji/service.png';

/** Names consist of letters, digits, `_`, `+` and `-`, so they need no escaping. */
export function characterHtml(name: string, code: string): string {
  const title = name.replaceAll('_', ' ');
  return `<span aria-label="${title}" class="emoji emoji-${code}" role="img" title="${title}">:${name}:</span>`;
}

function imageHtml(name: string, src: string): string {
  const title = name.replaceAll('_', ' ');
  return `<img alt=":${name}:" class="emoji" src="${escapeHtml(src)}" title="${title}">`;
}
