import type { StateCore, Token } from 'markdown-it';
import {
  PREVIEW_URL_LENGTH_MAX,
  PREVIEWS_PER_MESSAGE_MAX,
} from '../domain/limits/external-content.ts';
import type { LinkPreviews, PagePreview } from './directory.ts';
import { escapeHtml } from './library.ts';
import { hasRoomFor, type Rendering, renderingOf } from './rendering.ts';
import { VERBATIM } from './texts.ts';
import { pathIn, UPLOADS_PATH, type UploadedFile, uploadMarkup } from './uploads.ts';

/** Adds previews below the block that has the link (reference/endpoints.md 5.7). */
export function addPreviews(state: StateCore): void {
  const links = shownLinks(state.tokens);
  if (links.length === 0) return;
  const rendering = renderingOf(state.env);
  const { previews, realmUrl } = rendering.directory;
  if (previews === null) return;

  const subjects = new Map<string, Subject>();
  for (const { href } of links) {
    const subject = subjects.has(href) ? undefined : subjectOf(href, previews, realmUrl);
    if (subject !== undefined) subjects.set(href, subject);
  }
  if (subjects.size === 0 || subjects.size > PREVIEWS_PER_MESSAGE_MAX) return;
  place(state, { links, subjects, rendering, previews });
}

/** A link whose preview may be shown. */
interface ShownLink {
  readonly href: string;
  /** The text of the link, if it differs from its URL. */
  readonly label: string;
  /** The token that its preview follows. */
  readonly blockEnd: number;
  /** True if the link is its whole paragraph, whose tokens are the three before `blockEnd`. */
  readonly isAlone: boolean;
}

/**
 * Finds the links outside of quotes, which would repeat an earlier message, and outside of
 * spoilers, where a preview would tell what they hide.
 */
function shownLinks(tokens: readonly Token[]): ShownLink[] {
  const links: ShownLink[] = [];
  let quotes = 0;
  let waiting: Omit<ShownLink, 'blockEnd'>[] = [];
  let isInTable = false;
  for (const [index, token] of tokens.entries()) {
    if (token.type === 'blockquote_open' || token.type === 'spoiler_open') quotes += 1;
    else if (token.type === 'blockquote_close' || token.type === 'spoiler_content') quotes -= 1;
    else if (token.type === 'table_open') isInTable = true;
    else if (token.type === 'inline' && quotes === 0 && token.children !== null) {
      waiting.push(...linksIn(token.children, tokens[index - 1]?.type === 'paragraph_open'));
    } else if (waiting.length > 0 && endsBlock(token.type, isInTable)) {
      for (const link of waiting) links.push({ ...link, blockEnd: index });
      waiting = [];
    }
    if (token.type === 'table_close') isInTable = false;
  }
  return links;
}

const endsBlock = (type: string, isInTable: boolean) =>
  isInTable ? type === 'table_close' : type === 'paragraph_close' || type === 'heading_close';

function linksIn(children: readonly Token[], isParagraph: boolean): Omit<ShownLink, 'blockEnd'>[] {
  const links: Omit<ShownLink, 'blockEnd'>[] = [];
  for (const [index, token] of children.entries()) {
    if (token.type !== 'link_open') continue;
    const href = String(token.attrGet('href'));
    const label = labelFrom(children, index + 1);
    const isBare = isUrlItself(token, children[index + 1]) || label === href;
    const isAlone = isParagraph && isBare && children.length === 3;
    links.push({ href, label: isBare ? '' : label, isAlone });
  }
  return links;
}

const isUrlItself = (opening: Token, text: Token | undefined) =>
  opening.markup === 'autolink' || text?.info === VERBATIM;

function labelFrom(children: readonly Token[], from: number): string {
  let label = '';
  for (let index = from; index < children.length; index += 1) {
    const token = children[index];
    if (token === undefined || token.type === 'link_close') break;
    // Markup that is already HTML is left out, since a title has none.
    if (token.type === 'text' || token.type === 'code_inline') label += token.content;
  }
  return label;
}

type Subject =
  | { readonly kind: 'image' | 'video' | 'page' }
  | { readonly kind: 'site'; readonly videoId: string }
  | { readonly kind: 'upload'; readonly file: UploadedFile };

const IMAGE_FILE = /\.(?:apng|avif|bmp|gif|jpe|jpe?g|png|webp)$/i;
const VIDEO_FILE = /\.(?:mp4|webm)$/i;

/** Returns what a link leads to, as far as its URL tells; undefined if it gets no preview. */
function subjectOf(href: string, previews: LinkPreviews, realmUrl: string): Subject | undefined {
  if (href.length > PREVIEW_URL_LENGTH_MAX) return undefined;
  if (href.startsWith(UPLOADS_PATH)) return uploadIn(href, previews);
  if (!/^https?:/i.test(href)) return undefined;
  const url = URL.canParse(href) ? new URL(href) : undefined;
  // A preview would tell everybody's client the password that is in the URL.
  if (url === undefined || url.username !== '' || url.password !== '') return undefined;
  // Pages of the realm itself are not public, and this server would fetch them without an account.
  if (URL.canParse(realmUrl) && new URL(realmUrl).host === url.host) {
    return url.pathname.startsWith(UPLOADS_PATH) ? uploadIn(href, previews) : undefined;
  }
  if (previews.showsMedia) {
    if (IMAGE_FILE.test(url.pathname)) return { kind: 'image' };
    if (VIDEO_FILE.test(url.pathname)) return { kind: 'video' };
    const videoId = videoIdOf(url);
    if (videoId !== undefined) return { kind: 'site', videoId };
  }
  return previews.showsPages ? { kind: 'page' } : undefined;
}

function uploadIn(href: string, previews: LinkPreviews): Subject | undefined {
  const pathId = previews.showsMedia ? pathIn(href) : undefined;
  const file = pathId === undefined ? undefined : previews.upload(pathId);
  return file === undefined ? undefined : { kind: 'upload', file };
}

const VIDEO_SITES = /^(?:(?:www|m|music)\.)?youtube(?:-nocookie)?\.com$/;
const VIDEO_ID = /^[\w-]{11}$/;

function videoIdOf({ hostname, pathname, searchParams }: URL): string | undefined {
  let id: string | null | undefined;
  if (hostname === 'youtu.be') id = pathname.slice(1);
  else if (!VIDEO_SITES.test(hostname)) return undefined;
  else if (pathname === '/watch') id = searchParams.get('v');
  else id = /^\/(?:embed|live|shorts|v)\/([^/]+)$/.exec(pathname)?.[1];
  return id != null && VIDEO_ID.test(id) ? id : undefined;
}

interface Found {
  readonly links: readonly ShownLink[];
  readonly subjects: ReadonlyMap<string, Subject>;
  readonly rendering: Rendering;
  readonly previews: LinkPreviews;
}

/** Inserts each preview once, after its first link. */
function place(state: StateCore, { links, subjects, rendering, previews }: Found): void {
  const tokens: Token[] = [];
  const shown = new Set<string>();
  let from = 0;
  for (const link of links) {
    const subject = subjects.get(link.href);
    if (subject === undefined || shown.has(link.href)) continue;
    shown.add(link.href);
    if (subject.kind === 'page' && previews.page(link.href) === undefined) {
      rendering.pagesToUnfurl.push(link.href);
      continue;
    }
    const html = markupOf(link, subject, previews);
    if (html === '' || !hasRoomFor(rendering, html)) continue;
    const isReplaced = link.isAlone && (subject.kind === 'image' || subject.kind === 'video');
    for (const token of state.tokens.slice(from, link.blockEnd + (isReplaced ? -2 : 1))) {
      tokens.push(token);
    }
    from = link.blockEnd + 1;
    const token = new state.Token('preview', '', 0);
    token.block = true;
    token.content = html;
    tokens.push(token);
  }
  if (from === 0) return;
  for (const token of state.tokens.slice(from)) tokens.push(token);
  state.tokens = tokens;
}

/**
 * Returns the markup with attributes in alphabetical order; parts from the message or from a page
 * are escaped.
 */
function markupOf({ href, label }: ShownLink, subject: Subject, previews: LinkPreviews): string {
  const link = `href="${escapeHtml(href)}"`;
  const named = label === '' ? link : `${link} title="${escapeHtml(label)}"`;
  switch (subject.kind) {
    case 'image':
      return media('message_inline_image', named, `<img src="${previews.proxied(href)}">`);
    case 'video':
      return media(
        'message_inline_image message_inline_video',
        named,
        `<video preload="metadata" src="${previews.proxied(href)}"></video>`,
      );
    case 'site': {
      const still = previews.proxied(`https://i.ytimg.com/vi/${subject.videoId}/mqdefault.jpg`);
      const video = `data-id="${subject.videoId}" ${named}`;
      return media('youtube-video message_inline_image', video, `<img src="${still}">`);
    }
    case 'upload':
      return uploadMarkup(subject.file, { href, label, link: named });
    case 'page': {
      const preview = previews.page(href);
      return preview === undefined ? '' : pageMarkup(link, preview, previews);
    }
  }
}

const media = (kind: string, link: string, inside: string) =>
  `<div class="${kind}"><a ${link}>${inside}</a></div>`;

function pageMarkup(link: string, preview: PagePreview, { proxied }: LinkPreviews): string {
  const title = escapeHtml(preview.title);
  const description = escapeHtml(preview.description);
  return [
    '<div class="message_embed">',
    `<a class="message_embed_image" ${link} style="background-image: url(${proxied(preview.imageUrl)})"></a>`,
    '<div class="data-container">',
    title && `<div class="message_embed_title"><a ${link} title="${title}">${title}</a></div>`,
    description && `<div class="message_embed_description">${description}</div>`,
    '</div></div>',
  ].join('');
}
