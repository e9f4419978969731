import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ServerSettings } from '../../config.ts';
import { weightOf } from '../answers/content-codings.ts';
import { isOneOf, tagOf } from '../answers/entity-tags.ts';
import type { HttpReply } from '../answers/http-reply.ts';
import { statusLine } from '../answers/reply.ts';
import { type BuiltPage, type Form, formOf, manifestIn, readPage } from './built-page.ts';
import { documentHeaders } from './document-headers.ts';

/** The web client: one document, and its files in `/assets/`. */
export interface WebClient {
  /** Returns the file at this path from the root of the server. */
  file(path: string, asked: WebRequest): HttpReply | undefined;
  /** Returns the document, for a browser that opens a path which nothing else has. */
  document(path: string, asked: WebRequest): HttpReply | undefined;
}

/** The headers of a request that decide about the answer. */
export interface WebRequest {
  readonly accept: string;
  readonly acceptEncoding: string;
  readonly ifNoneMatch: string;
}

interface WebInput {
  readonly settings: Pick<ServerSettings, 'servesWeb' | 'webFolder' | 'gravatarUrl'>;
  /** Called when the files of the web client are missing, which the rest of the server is not. */
  readonly onMissing: (error: unknown) => void;
}

/** `src/bundle.mjs` puts the files beside the program. */
const FOLDER = fileURLToPath(new URL('./web', import.meta.url));

/**
 * Opens the web client; null if it is not to be served. Its files are read once, or after each
 * build from the folder that a developer has named.
 */
export function openWebClient({ settings, onMissing }: WebInput): WebClient | null {
  const { servesWeb, webFolder } = settings;
  if (!servesWeb) return null;
  if (webFolder !== null) return clientOf(newestOf(webFolder, settings));
  try {
    const page = served(readPage(FOLDER), settings);
    return clientOf(() => page);
  } catch (error) {
    onMissing(error);
    return null;
  }
}

/** Reads the files of a folder again whenever a build has written their manifest, which is last. */
function newestOf(folder: string, settings: WebInput['settings']): () => ServedPage {
  let page: ServedPage | undefined;
  let builtAt: bigint | undefined;
  return () => {
    const { mtimeNs } = statSync(manifestIn(folder), { bigint: true });
    if (page === undefined || mtimeNs !== builtAt) page = served(readPage(folder), settings);
    builtAt = mtimeNs;
    return page;
  };
}

/** A page with what is known of it once for all requests. */
interface ServedPage {
  readonly page: BuiltPage;
  readonly tag: string;
  readonly headers: HttpReply['headers'];
}

const served = (page: BuiltPage, settings: WebInput['settings']): ServedPage => ({
  page,
  tag: createHash('sha256').update(page.document.plain).digest('base64url'),
  headers: documentHeaders(page, settings),
});

const FILES = '/assets/';

/** Files that browsers ask for by fixed names (web/app/static). */
const PLAIN: ReadonlySet<string> = new Set([
  '/app.webmanifest',
  '/icon-180.png',
  '/icon-192.png',
  '/icon-512.png',
  '/service-worker.js',
]);

/** These folders of the server have their own answers to paths that they do not have. */
const OTHER_FOLDERS = /^\/(?:api|assets|static)(?:\/|$)/;

const clientOf = (current: () => ServedPage): WebClient => ({
  file(path, { acceptEncoding }) {
    if (!path.startsWith(FILES) && !PLAIN.has(path)) return undefined;
    const file = current().page.at(path.slice(1));
    const reply = file && replyWith(formOf(file, acceptEncoding), file.type);
    // Their names stay when what is in them changes.
    return reply && PLAIN.has(path) ? { ...reply, cacheControl: 'no-cache' } : reply;
  },
  document(path, { accept, acceptEncoding, ifNoneMatch }) {
    if (path.includes('.') || OTHER_FOLDERS.test(path) || !wantsHtml(accept)) return undefined;
    const { page, tag: hash, headers = [] } = current();
    const form = formOf(page.document, acceptEncoding);
    // Each form is other bytes, so it has a tag of its own.
    const tag = tagOf(`${hash}-${form.coding ?? 'plain'}`);
    return {
      ...replyWith(form, page.document.type),
      ...(isOneOf(ifNoneMatch, tag) && { status: statusLine(304), body: '' }),
      cacheControl: 'no-cache',
      headers: [
        ...(form.coding === null ? [] : [['Content-Encoding', form.coding] as const]),
        ['ETag', tag],
        ['Vary', 'Accept, Accept-Encoding'],
        ...headers,
      ],
    };
  },
});

const replyWith = ({ body, coding }: Form, type: string): HttpReply => ({
  status: statusLine(200),
  contentType: type,
  // The name of a file changes with what is in it.
  cacheControl: 'public, max-age=31536000, immutable',
  headers: [
    ...(coding === null ? [] : [['Content-Encoding', coding] as const]),
    ['Vary', 'Accept-Encoding'],
    ['Cross-Origin-Resource-Policy', 'same-origin'],
  ],
  body,
  isShared: true,
  isFinal: true,
});

/**
 * Tests for a browser that opens a page: it names the type, and programs that take anything do not.
 */
const wantsHtml = (accept: string): boolean =>
  accept.split(',').some((item) => {
    const [type = '', ...parameters] = item.split(';');
    return type.trim().toLowerCase() === 'text/html' && weightOf(parameters) > 0;
  });
