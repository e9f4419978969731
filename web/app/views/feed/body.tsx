import { useLayoutEffect, useRef } from 'preact/hooks';
import { clock, day, wholeTime } from '../../store/times.ts';
import { isFetched } from './allowed.ts';
import { writeHtml } from './sanitizer.ts';

export interface BodyProps {
  readonly html: string;
  /** The person who reads, and the groups that they are in: their mentions are marked. */
  readonly ownId: number;
  readonly isOwnGroup?: (groupId: number) => boolean;
}

/** The text of a message. */
export function Body({ html, ownId, isOwnGroup = () => false }: BodyProps) {
  const own = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const target = own.current;
    if (target === null) return;
    writeHtml(target, html);
    dress(target, { ownId, isOwnGroup });
  }, [html, ownId]);
  return <div class="body" ref={own} />;
}

/** Adds to a message what HTML alone has not: times of the reader, buttons, sizes of pictures. */
function dress(
  body: HTMLElement,
  reader: { readonly ownId: number; readonly isOwnGroup: (groupId: number) => boolean },
): void {
  for (const emoji of body.querySelectorAll<HTMLElement>('span.emoji')) dressEmoji(emoji);
  for (const time of body.querySelectorAll('time')) dressTime(time);
  for (const link of body.querySelectorAll<HTMLAnchorElement>('a[href]')) dressLink(link);
  for (const picture of body.querySelectorAll('img')) dressPicture(picture);
  for (const cell of body.querySelectorAll<HTMLElement>('[data-align]')) {
    cell.style.textAlign = cell.dataset['align'] ?? '';
  }
  for (const spoiler of body.querySelectorAll('.spoiler-block')) dressSpoiler(spoiler);
  for (const code of body.querySelectorAll<HTMLElement>('.codehilite')) dressCode(code);
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
  button.addEventListener('click', () => show(content.hidden !== false));
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
    void navigator.clipboard.writeText(pre.textContent ?? '').then(() => {
      button.textContent = 'Copied';
      setTimeout(() => (button.textContent = 'Copy'), 1_500);
    });
  });
  code.append(button);
}
