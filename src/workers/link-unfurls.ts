import type { IncomingMessage } from 'node:http';
import type { ServerSettings } from '../config.ts';
import {
  PAGE_BYTES_MAX,
  PAGE_MS_MAX,
  PAGES_AT_ONCE_MAX,
  PAGES_KEPT_MAX,
  PAGES_KEPT_MS,
} from '../domain/limits/external-content.ts';
import { recentlyUsed } from '../domain/recently-used.ts';
import { ApiError } from '../domain/wire/errors.ts';
import type { PagePreview } from '../markdown/directory.ts';
import type { Entry } from '../operations/access/outbox.ts';
import * as linkPreviews from '../operations/messages/link-previews.ts';
import type { Unfurl } from '../operations/posting/link-unfurls.ts';
import type { Worker } from './dispatcher.ts';
import { get, typeOf } from './get.ts';
import { NotPossible } from './hosts.ts';
import { previewIn } from './page-previews.ts';

export interface UnfurlInput {
  /** Notified that a page has no preview, and why. */
  readonly onFailed: (error: unknown, url: string) => void;
  readonly onBug: (error: unknown) => void;
}

/** Fetches the pages that a message links, and updates the message to show their previews. */
export function unfurlWorker({ onFailed, onBug }: UnfurlInput): Worker {
  const seen = recentlyUsed<string, Seen>(PAGES_KEPT_MAX);

  /** Fetches a page once, also if several messages link it or a message is edited. */
  function previewOf(
    url: string,
    now: number,
    settings: ServerSettings,
  ): Promise<PagePreview | undefined> {
    const known = seen.get(url);
    if (known !== undefined && now < known.until) return known.preview;
    const preview = fetchPreview(url, settings).catch((error) => {
      onFailed(error, url);
      return undefined;
    });
    seen.set(url, { preview, until: now + PAGES_KEPT_MS });
    return preview;
  }

  return {
    // There is no further attempt: the message is there, and shows the page as a link.
    pausesMs: [],
    async deliver(entry, { realm, site }) {
      const unfurl = unfurlIn(entry);
      const previews = new Map<string, PagePreview>();
      const waiting = [...unfurl.pages];
      const unfurlNext = async () => {
        for (let url = waiting.shift(); url !== undefined; url = waiting.shift()) {
          const preview = await previewOf(url, realm.now(), site.settings);
          if (preview !== undefined) previews.set(url, preview);
        }
      };
      await Promise.all(Array.from({ length: PAGES_AT_ONCE_MAX }, unfurlNext));
      if (previews.size > 0) {
        await realm.perform((tx) => linkPreviews.show(tx, site, { unfurl, previews }));
      }
    },
    async giveUp(_entry, _origin, error) {
      if (!(error instanceof ApiError)) onBug(error);
    },
  };
}

interface Seen {
  readonly preview: Promise<PagePreview | undefined>;
  /** UNIX milliseconds after which the page is fetched again. */
  readonly until: number;
}

/** Reads the content of the entry, which only `posting/link-unfurls.ts` writes. */
const unfurlIn = (entry: Entry) => entry.content as Unfurl;

const PAGE_TYPES = ['text/html', 'application/xhtml+xml'];

async function fetchPreview(
  url: string,
  { allowsPrivatePreviews }: ServerSettings,
): Promise<PagePreview | undefined> {
  const { url: place, response } = await get({
    url,
    headers: { accept: PAGE_TYPES.join(', ') },
    signal: AbortSignal.timeout(PAGE_MS_MAX),
    allowsPrivate: allowsPrivatePreviews,
  });
  try {
    if (!PAGE_TYPES.includes(typeOf(response)))
      throw new NotPossible('The site answered with no page.');
    const bytes = await beginningOf(response);
    return previewIn(decoded(bytes, response.headers['content-type'] ?? ''), place);
  } finally {
    response.destroy();
  }
}

async function beginningOf(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= PAGE_BYTES_MAX) break;
  }
  return Buffer.concat(chunks).subarray(0, PAGE_BYTES_MAX);
}

/** Bytes within which a page declares its encoding (HTML, "Determining the character encoding"). */
const ENCODING_WITHIN = 1_024;

function decoded(bytes: Buffer, contentType: string): string {
  const beginning = bytes.subarray(0, ENCODING_WITHIN).toString('latin1');
  const label =
    /charset=["']?([\w:.-]+)/i.exec(contentType)?.[1] ??
    /<meta[^>]{0,200}charset=["']?([\w:.-]+)/i.exec(beginning)?.[1] ??
    'utf-8';
  try {
    return new TextDecoder(label).decode(bytes);
  } catch {
    // The page names an encoding that does not exist.
    return bytes.toString('utf8');
  }
}
