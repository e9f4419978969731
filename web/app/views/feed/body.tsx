import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { copy } from '../../net/clipboard.ts';
import type { Playground } from '../../store/messages/playgrounds.ts';
import { clock, day, wholeTime } from '../../store/times.ts';
import { isFetched } from './allowed.ts';
import { writeHtml } from './sanitizer.ts';

export interface BodyProps {
  readonly html: string;
  /** The person who reads, and the groups that they are in: their mentions are marked. */
  readonly ownId: number;
  readonly isOwnGroup?: (groupId: number) => boolean;
  /** True if it says what its sender does (`/me`). */
  readonly isAct?: boolean;
  readonly playgrounds?: readonly Playground[] | undefined;
  /** The long messages that are shown as a whole; without it, all are. */
  readonly unfolded?: Set<number>;
  readonly id?: number;
}

const NO_PLAYGROUNDS: readonly Playground[] = [];

/** The text of a message. */
export function Body(props: BodyProps) {
  const { html, ownId, isOwnGroup = () => false, isAct = false, unfolded, id = 0 } = props;
  const { playgrounds = NO_PLAYGROUNDS } = props;
  const own = useRef<HTMLDivElement>(null);
  const [isFolded, setFolded] = useState(false);
  const unfold = () => {
    unfolded?.add(id);
    setFolded(false);
  };
  useLayoutEffect(() => {
    const target = own.current;
    if (target === null) return;
    const hasMarkup = writeHtml(target, html);
    if (isAct) withoutCommand(target);
    if (hasMarkup) dress(target, { ownId, isOwnGroup, playgrounds });
    const isFoldable = unfolded !== undefined && !unfolded.has(id) && mayBeLong(html);
    setFolded(isFoldable && target.scrollHeight > LONG_PX);
  }, [html, ownId, isAct, playgrounds]);
  return (
    <>
      <div
        class={isFolded ? 'body folded' : 'body'}
        ref={own}
        onFocusIn={({ target }) => {
          // The focus went where nothing is seen.
          const end = own.current?.getBoundingClientRect().bottom ?? 0;
          if (isFolded && (target as Element).getBoundingClientRect().bottom > end) unfold();
        }}
      />
      {isFolded ? (
        <button type="button" class="quiet unfold" onClick={unfold}>
          Show more
        </button>
      ) : null}
    </>
  );
}

/** Taller messages are folded to what the style says, which leaves out a part worth a click. */
const LONG_PX = 640;
const LONG_LENGTH = 2_500;
const LONG_LINES = 20;
const LINE = /<(?:br|p|li|tr|h[1-6]|img)\b|\n/g;

/** Tells whether it is worth to measure a message, which costs a layout of the page. */
const mayBeLong = (html: string): boolean =>
  html.length > LONG_LENGTH || (html.match(LINE)?.length ?? 0) > LONG_LINES;

/** The name of the sender stands in the place of the command. */
function withoutCommand(body: HTMLElement): void {
  const first = document.createTreeWalker(body, NodeFilter.SHOW_TEXT).nextNode();
  if (first !== null) first.nodeValue = (first.nodeValue ?? '').replace(/^\s*\/me\s+/, '');
}

interface Reader extends Required<Pick<BodyProps, 'ownId' | 'isOwnGroup'>> {
  readonly playgrounds: readonly Playground[];
}

/** Adds to a message what HTML alone has not: times of the reader, buttons, sizes of pictures. */
function dress(body: HTMLElement, reader: Reader): void {
  for (const emoji of body.querySelectorAll<HTMLElement>('span.emoji')) dressEmoji(emoji);
  for (const time of body.querySelectorAll('time')) dressTime(time);
  for (const link of body.querySelectorAll<HTMLAnchorElement>('a[href]')) dressLink(link);
  for (const picture of body.querySelectorAll('img')) dressPicture(picture);
  for (const cell of body.querySelectorAll<HTMLElement>('[data-align]')) {
    cell.style.textAlign = cell.dataset['align'] ?? '';
  }
  for (const spoiler of body.querySelectorAll('.spoiler-block')) dressSpoiler(spoiler);
  for (const code of body.querySelectorAll<HTMLElement>('.codehilite')) {
    dressCode(code);
    if (reader.playgrounds.length === 0 || code.dataset['codeLanguage'] === undefined) continue;
    void import('./playground-links.ts').then(({ addPlaygroundLinks }) =>
      addPlaygroundLinks(code, reader.playgrounds),
    );
  }
  for (const table of body.querySelectorAll('table')) {
    const frame = document.createElement('div');
    frame.className = 'table';
    frame.tabIndex = 0;
    frame.setAttribute('role', 'region');
    frame.setAttribute('aria-label', 'Table');
    table.replaceWith(frame);
    frame.append(table);
  }
  for (const mention of body.querySelectorAll<HTMLElement>('.user-mention, .user-group-mention')) {
    const { userId, userGroupId } = mention.dataset;
    const isMe =
      userId === '*' ||
      userId === String(reader.ownId) ||
      (userGroupId !== undefined && reader.isOwnGroup(Number(userGroupId)));
    if (isMe && !mention.classList.contains('silent')) mention.classList.add('me');
    if (userId !== '*') makeButton(mention);
  }
}

/** A mention opens a card, by the keys as well. */
function makeButton(mention: HTMLElement): void {
  mention.tabIndex = 0;
  mention.setAttribute('role', 'button');
  mention.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' && event.key !== ' ') return;
    event.preventDefault();
    event.stopPropagation();
    mention.click();
  });
}

const EMOJI = /^emoji emoji-([0-9a-f-]+)$/;

function dressEmoji(emoji: HTMLElement): void {
  const code = EMOJI.exec(emoji.className)?.[1];
  if (code !== undefined) emoji.textContent = charactersOf(code);
}

/** Returns the characters of an emoji by its code, such as `1f44d`. */
export function charactersOf(code: string): string {
  const points = code.split('-').map((hex) => Number.parseInt(hex, 16));
  return points.every((point) => point <= 0x10ffff) ? String.fromCodePoint(...points) : '';
}

function dressTime(time: HTMLTimeElement): void {
  const at = Date.parse(time.dateTime);
  if (Number.isNaN(at)) return;
  time.textContent = `${day(at, Date.now())}, ${clock(at)}`;
  time.title = wholeTime(at);
}

function dressLink(link: HTMLAnchorElement): void {
  const href = link.getAttribute('href') ?? '';
  const { origin } = location;
  const own = href.startsWith(`${origin}/`) ? href.slice(origin.length) : href;
  const route = /^\/?(#narrow\/.*)$/s.exec(own)?.[1];
  if (route !== undefined) {
    link.setAttribute('href', route);
    return;
  }
  link.target = '_blank';
  link.rel = 'noopener noreferrer';
  const picture = link.dataset['picture'];
  if (picture !== undefined && isFetched(picture)) {
    link.style.backgroundImage = `url(${JSON.stringify(picture)})`;
    link.setAttribute('aria-hidden', 'true');
    link.tabIndex = -1;
  }
}

/** As large as the style lets a picture be. */
const PICTURE_WIDTH_PX = 360;
const PICTURE_HEIGHT_PX = 240;

/** Gives a picture its room before it is there, so that nothing jumps when it comes. */
function dressPicture(picture: HTMLImageElement): void {
  if (picture.classList.contains('emoji')) return;
  const [width = 0, height = 0] = (picture.dataset['originalDimensions'] ?? '')
    .split('x')
    .map(Number);
  if (width > 0 && height > 0) {
    const scale = Math.min(1, PICTURE_WIDTH_PX / width, PICTURE_HEIGHT_PX / height);
    picture.width = Math.max(1, Math.round(width * scale));
    picture.height = Math.max(1, Math.round(height * scale));
  } else {
    picture.width = PICTURE_WIDTH_PX;
    picture.height = PICTURE_HEIGHT_PX;
    picture.classList.add('unknown');
  }
  picture.loading = 'lazy';
  picture.decoding = 'async';
  const link = picture.closest('a');
  if (!picture.alt)
    picture.alt = link?.title || nameIn(link?.getAttribute('href') ?? '') || 'Picture';
}

function nameIn(url: string): string {
  const name = url.split(/[?#]/)[0]?.split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

function dressSpoiler(spoiler: Element): void {
  const header = spoiler.querySelector(':scope > .spoiler-header');
  const content = spoiler.querySelector<HTMLElement>(':scope > .spoiler-content');
  if (header === null || content === null) return;
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'quiet';
  content.hidden = true;
  content.removeAttribute('aria-hidden');
  const show = (isOpen: boolean) => {
    content.hidden = !isOpen;
    button.textContent = isOpen ? 'Hide' : 'Show';
    button.setAttribute('aria-expanded', String(isOpen));
  };
  show(false);
  // A click anywhere on the line opens it, but for links in it; the button is there for keys.
  header.addEventListener('click', ({ target }) => {
    if (target instanceof Element && target.closest('a') === null) show(content.hidden !== false);
  });
  if (header.textContent?.trim() === '') header.append('Spoiler');
  header.append(button);
}

function dressCode(code: HTMLElement): void {
  const pre = code.querySelector('pre');
  if (pre === null) return;
  const { codeLanguage = 'Code' } = code.dataset;
  pre.tabIndex = 0;
  pre.setAttribute('role', 'region');
  pre.setAttribute('aria-label', codeLanguage);
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'quiet copy';
  button.textContent = 'Copy';
  button.addEventListener('click', () => {
    const say = (outcome: string) => {
      button.textContent = outcome;
      setTimeout(() => (button.textContent = 'Copy'), 1_500);
    };
    copy(pre.textContent ?? '').then(
      () => say('Copied'),
      () => say('Not copied'),
    );
  });
  code.append(button);
}
