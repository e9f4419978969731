import { createHash } from 'node:crypto';
import { identicon, SEED } from '../domain/rules/files/identicons.ts';
import {
  extraEmoji,
  notificationBot,
  realmIcon,
  realmLogo,
  unknownUser,
} from '../domain/rules/files/images.ts';
import { codeToNames } from '../domain/rules/texts/emoji.ts';
import { assetAt } from '../endpoints/pages/api/assets.ts';
import { isOneOf, tagOf } from './answers/entity-tags.ts';
import type { HttpReply } from './answers/http-reply.ts';
import { statusLine } from './answers/reply.ts';

const FOLDER = '/static/';

/**
 * Files that the server has at addresses of its own, the same for all clients and without an
 * account.
 */
const FILES: ReadonlyMap<string, () => File> = new Map([
  ['emoji-data.json', () => json({ code_to_names: codeToNames() })],
  ['unknown-user.png', () => image(unknownUser())],
  ['notification-bot.png', () => image(notificationBot())],
  ['realm-icon.png', () => image(realmIcon())],
  ['realm-logo.png', () => image(realmLogo('light'))],
  ['realm-night-logo.png', () => image(realmLogo('dark'))],
  ['images/loading/loader-black.svg', () => svg(LOADER)],
  ['images/emoji/service.png', () => image(extraEmoji())],
]);

/** A circle that turns until a thumbnail is made; it has no scripts and no links. */
const LOADER =
  '<svg xmlns="http://www.w3.org/2000/svg" width="32" height="32" viewBox="0 0 32 32">' +
  '<circle cx="16" cy="16" r="12" fill="none" stroke="#000" stroke-opacity=".2" stroke-width="3"/>' +
  '<path d="M16 4a12 12 0 0 1 12 12" fill="none" stroke="#000" stroke-width="3">' +
  '<animateTransform attributeName="transform" type="rotate" from="0 16 16" to="360 16 16" ' +
  'dur="1s" repeatCount="indefinite"/></path></svg>\n';

type File = Pick<HttpReply, 'contentType'> & { readonly body: Uint8Array };

/**
 * The files are made at the first request: reading the table of emoji takes longer than a start.
 */
const made = new Map<string, HttpReply>();

/**
 * The files change only with the version of the server; after an upgrade a client has the new ones
 * within a day.
 */
const CACHED_SECONDS = 86_400;

/** An image that is drawn from its name never changes, nor does a file in a folder of its hash. */
const KEPT = 'public, max-age=31536000, immutable';

/**
 * Returns the file at this path from the root of the server, or undefined; 304 if the client has it
 * (its `If-None-Match`).
 */
export function fileAt(path: string, ifNoneMatch: string): HttpReply | undefined {
  if (!path.startsWith(FOLDER)) return undefined;
  const name = path.slice(FOLDER.length);
  const file = standing(name) ?? avatar(name) ?? ofPages(name);
  const tag = file?.headers?.find(([header]) => header === 'ETag')?.[1];
  if (file === undefined || tag === undefined || !isOneOf(ifNoneMatch, tag)) return file;
  return { ...file, status: statusLine(304), body: '' };
}

function standing(name: string): HttpReply | undefined {
  const before = made.get(name);
  const file = before === undefined ? FILES.get(name)?.() : undefined;
  if (file === undefined) return before;
  const tag = createHash('sha256').update(file.body).digest('base64url');
  const reply = found(file, { tag, cacheControl: `public, max-age=${CACHED_SECONDS}` });
  made.set(name, reply);
  return reply;
}

/** Returns an image that is drawn from its name, which takes no longer than to read one. */
function avatar(name: string): HttpReply | undefined {
  const [, seed = '', medium] = AVATAR.exec(name) ?? [];
  if (!SEED.test(seed)) return undefined;
  const file = image(identicon(seed, { isMedium: medium !== undefined }));
  return found(file, { tag: name, cacheControl: KEPT });
}

/** Returns a file of the pages of the API. */
function ofPages(name: string): HttpReply | undefined {
  const file = assetAt(name);
  return file && found(file, { tag: name.replaceAll('/', '-'), cacheControl: KEPT });
}

const AVATAR = /^avatars\/([^/.-]+)(-medium)?\.png$/;

const found = (
  file: File,
  { tag, cacheControl }: { tag: string; cacheControl: string },
): HttpReply => ({
  ...file,
  status: '200 OK',
  isShared: true,
  cacheControl,
  headers: [
    ['ETag', tagOf(tag)],
    ['Content-Security-Policy', "default-src 'none'"],
  ],
});

const json = (value: object): File => ({ body: Buffer.from(JSON.stringify(value)) });

const svg = (text: string): File => ({ contentType: 'image/svg+xml', body: Buffer.from(text) });

const image = (png: Uint8Array): File => ({ contentType: 'image/png', body: png });
