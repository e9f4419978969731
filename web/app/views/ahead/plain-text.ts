import { type Place, parseRoute, placeOf } from '../../store/route.ts';
import { charactersOf } from '../feed/body.tsx';
import { walked } from '../feed/sanitizer.ts';

const EMOJI = /^emoji emoji-([0-9a-f-]+)$/;

/** Returns what one reads in the HTML of a message, for a line that has no room for more. */
export const plainText = (html: string): string => textIn(walked(html));

function textIn(content: DocumentFragment | Element): string {
  for (const emoji of content.querySelectorAll('.emoji')) {
    const code = EMOJI.exec(emoji.className)?.[1];
    const name = emoji.getAttribute('alt') ?? emoji.textContent ?? '';
    emoji.replaceWith(code === undefined ? name : charactersOf(code));
  }
  return (content.textContent ?? '').trim().replace(/\s+/g, ' ');
}

export interface Reminded {
  /** The conversation of the message; null if the reminder does not link to it. */
  readonly place: Exclude<Place, { kind: 'channel' }> | null;
  /** The words of the own note; empty if there is none. */
  readonly note: string;
}

/** Returns what the HTML of a reminder says: where the message is, and the note. */
export function remindedOf(html: string): Reminded {
  const content = walked(html);
  const note = content.querySelector('blockquote');
  const href = content.querySelector('a[href*="#narrow/"]')?.getAttribute('href') ?? '';
  const route = parseRoute(href.slice(href.indexOf('#')));
  const place = route.view === 'narrow' ? placeOf(route.narrow) : null;
  return {
    place: place?.kind === 'channel' ? null : place,
    note: note === null ? '' : textIn(note),
  };
}
