import { pipeline, type Readable, Transform } from 'node:stream';
import {
  EXTERNAL_CONTENT_MS_MAX,
  EXTERNAL_CONTENTS_AT_ONCE_MAX,
  EXTERNAL_CONTENTS_PER_SITE_MAX,
  EXTERNAL_IMAGE_BYTES_MAX,
  EXTERNAL_VIDEO_BYTES_MAX,
} from '../domain/limits/external-content.ts';
import type { ExternalContent, FetchContent } from '../endpoints/pages/external-content.ts';
import { get, typeOf } from './get.ts';
import { NotPossible } from './hosts.ts';

/**
 * The content types that are handed out, with their largest size. None of them runs code when a
 * browser opens it directly.
 */
const BYTES_MAX: Readonly<Record<string, number>> = {
  ...Object.fromEntries(
    ['apng', 'avif', 'bmp', 'gif', 'jpeg', 'png', 'webp', 'x-icon', 'vnd.microsoft.icon'].map(
      (kind) => [`image/${kind}`, EXTERNAL_IMAGE_BYTES_MAX],
    ),
  ),
  'video/mp4': EXTERNAL_VIDEO_BYTES_MAX,
  'video/webm': EXTERNAL_VIDEO_BYTES_MAX,
};

/** Fetches images and videos of other sites on demand, and keeps nothing of them. */
export function openExternalContents(): FetchContent {
  let open = 0;
  const openOf = new Map<string, number>();
  const begin = (site: string) => {
    open += 1;
    openOf.set(site, (openOf.get(site) ?? 0) + 1);
  };
  const end = (site: string) => {
    open -= 1;
    const left = (openOf.get(site) ?? 1) - 1;
    if (left === 0) openOf.delete(site);
    else openOf.set(site, left);
  };
  return async (url, { range, signal, allowsPrivate }) => {
    const site = new URL(url).hostname;
    if (open >= EXTERNAL_CONTENTS_AT_ONCE_MAX) return 'busy';
    if ((openOf.get(site) ?? 0) >= EXTERNAL_CONTENTS_PER_SITE_MAX) return 'busy';
    begin(site);
    try {
      const { response } = await get({
        url,
        headers: { accept: 'image/*, video/*', ...(range === '' ? {} : { range }) },
        signal: AbortSignal.any([signal, AbortSignal.timeout(EXTERNAL_CONTENT_MS_MAX)]),
        allowsPrivate,
      });
      try {
        const content = contentOf(response);
        content.body.once('close', () => end(site));
        return content;
      } catch (error) {
        response.destroy();
        throw error;
      }
    } catch (error) {
      end(site);
      throw error;
    }
  };
}

function contentOf(response: Awaited<ReturnType<typeof get>>['response']): ExternalContent {
  const contentType = typeOf(response);
  const bytesMax = Object.hasOwn(BYTES_MAX, contentType) ? BYTES_MAX[contentType] : undefined;
  if (bytesMax === undefined) throw new NotPossible('The site answered with no image or video.');
  const length = lengthIn(response.headers['content-length']);
  if (length !== null && length > bytesMax) throw tooLarge(bytesMax);
  const contentRange = response.headers['content-range'];
  return {
    contentType,
    length,
    contentRange: response.statusCode === 206 ? (contentRange ?? null) : null,
    body: bounded(response, bytesMax),
  };
}

const lengthIn = (text: string | undefined): number | null =>
  text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : null;

const tooLarge = (bytesMax: number) =>
  new NotPossible(`The site answered with more than ${bytesMax} bytes.`);

/** Cuts the source off after `bytesMax`: a site may omit its content length, or send more. */
function bounded(source: Readable, bytesMax: number): Readable {
  let bytes = 0;
  const counter = new Transform({
    transform(chunk: Buffer, _encoding, pass) {
      bytes += chunk.length;
      if (bytes > bytesMax) pass(tooLarge(bytesMax));
      else pass(null, chunk);
    },
  });
  // The pipeline destroys both streams when one ends. A reader of the counter gets the error; there
  // may be none.
  counter.on('error', () => undefined);
  pipeline(source, counter, () => undefined);
  return counter;
}
