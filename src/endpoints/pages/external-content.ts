import type { Readable } from 'node:stream';
import type { RequestHost } from '../../domain/request-host.ts';
import * as errors from '../../domain/wire/errors.ts';
import * as realms from '../../operations/access/realms.ts';
import { EXTERNAL_CONTENT_PATH, urlSigned } from '../../operations/files/external-content.ts';
import type { Deployment } from '../dispatch/deployment.ts';

/** An image or a video on its way from another site. */
export interface ExternalContent {
  readonly contentType: string;
  /** Null if the site does not say it. */
  readonly length: number | null;
  /** The range of a part, if one was requested. */
  readonly contentRange: string | null;
  /** The caller has to read or destroy it. */
  readonly body: Readable;
}

export interface FetchOptions {
  /** The header of this name; empty for none. */
  readonly range: string;
  readonly signal: AbortSignal;
  /** True if the URL may be on this machine or the networks around it. */
  readonly allowsPrivate: boolean;
}

/** Fetches the content of a URL; rejects if it may not be handed out. */
export type FetchContent = (
  url: string,
  options: FetchOptions,
) => Promise<ExternalContent | 'busy'>;

/** A request for content of another site, from the transport. */
export interface ContentRequest {
  /** The path from the root of the server, as sent. */
  readonly path: string;
  readonly host: RequestHost;
  /** The header of this name; empty for none. */
  readonly range: string;
  readonly signal: AbortSignal;
}

export type ContentDispatch = (request: ContentRequest) => Promise<ExternalContent>;

export const isExternalContent = (path: string): boolean => path.startsWith(EXTERNAL_CONTENT_PATH);

const PATH = new RegExp(
  `^${EXTERNAL_CONTENT_PATH}(?<signature>[0-9a-f]{64})/(?<hex>(?:[0-9a-f]{2})+)$`,
);
/** Matches one range of bytes; players ask for no more. */
const RANGE = /^bytes=(?:\d{1,15}-(?:\d{1,15})?|-\d{1,15})$/;

/**
 * Hands out content of other sites in messages (reference/endpoints.md 5.7), so that those sites
 * learn nothing of readers. It serves only URLs that the realm has signed, so it is not an open
 * proxy.
 */
export function openExternalContent(
  deployment: Deployment,
  { fetch, onFailed }: { fetch: FetchContent; onFailed: (error: unknown, url: string) => void },
): ContentDispatch {
  return async ({ path, host, range, signal }) => {
    const { realm, site } = deployment.at(host);
    const { signature, hex } = PATH.exec(path)?.groups ?? {};
    if (realm === undefined || signature === undefined || hex === undefined) {
      throw errors.notFound(path);
    }
    if (!realm.isOpen()) throw realm.closedBecause();
    realms.refuseDeactivated(realm.reader);
    const { showsPreviews, allowsPrivatePreviews: allowsPrivate } = site.settings;
    const url = showsPreviews ? urlSigned(realm.reader, { signature, hex }) : undefined;
    if (url === undefined) throw errors.notFound(path);
    const content = await fetched(url, {
      range: RANGE.test(range) ? range : '',
      signal,
      allowsPrivate,
    });
    if (content === undefined) throw errors.notFound(path);
    if (content === 'busy') throw errors.rateLimitHit(1);
    return content;
  };

  async function fetched(url: string, options: FetchOptions) {
    try {
      return await fetch(url, options);
    } catch (error) {
      // A fault of another site is not a bug of this one.
      onFailed(error, url);
      return undefined;
    }
  }
}
