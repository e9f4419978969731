import http from 'node:http';
import https from 'node:https';
import { REDIRECTS_MAX, SITE_SILENT_MS_MAX } from '../domain/limits/external-content.ts';
import { callable, NotPossible, publicLookup } from './hosts.ts';

export interface Getting {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Aborts the request, also while its body is being read. */
  readonly signal: AbortSignal;
  /** Allows private addresses: those of this machine and of the networks around it. */
  readonly allowsPrivate: boolean;
}

export interface Got {
  /** The URL after all redirects. */
  readonly url: URL;
  /** The caller has to read or destroy its body. */
  readonly response: http.IncomingMessage;
}

/**
 * Sends a GET and follows redirects, checking the address of each. Rejects when there is no
 * response.
 */
export async function get(getting: Getting): Promise<Got> {
  let url = callable(getting.url, getting);
  for (let redirects = 0; redirects <= REDIRECTS_MAX; redirects += 1) {
    const response = await getOne(url, getting);
    const location = redirectOf(response);
    if (location === undefined) return { url, response };
    response.destroy();
    if (!URL.canParse(location, url)) throw new NotPossible('The site redirects to no URL.');
    url = callable(new URL(location, url).href, getting);
  }
  throw new NotPossible(`The site redirects more than ${REDIRECTS_MAX} times.`);
}

const REDIRECTS: readonly (number | undefined)[] = [301, 302, 303, 307, 308];

const redirectOf = ({ statusCode, headers }: http.IncomingMessage): string | undefined =>
  REDIRECTS.includes(statusCode) ? headers.location : undefined;

function getOne(url: URL, getting: Getting): Promise<http.IncomingMessage> {
  const { request } = url.protocol === 'https:' ? https : http;
  return new Promise((resolve, reject) => {
    const outgoing = request(
      url,
      {
        // No connection is reused: the address of a new one is checked, whatever the host was
        // before.
        agent: false,
        signal: getting.signal,
        headers: {
          'user-agent': 'confab',
          // A compressed body could unpack to more than any bound.
          'accept-encoding': 'identity',
          ...getting.headers,
        },
        ...(getting.allowsPrivate ? {} : { lookup: publicLookup }),
      },
      resolve,
    );
    outgoing.setTimeout(SITE_SILENT_MS_MAX, () => {
      outgoing.destroy(new Error(`The site was silent for ${SITE_SILENT_MS_MAX / 1000} s.`));
    });
    outgoing.on('error', reject);
    outgoing.end();
  });
}

/**
 * Returns the content type of a response. Throws unless it has the content itself, uncompressed.
 */
export function typeOf({ statusCode, headers }: http.IncomingMessage): string {
  if (statusCode !== 200 && statusCode !== 206) {
    throw new NotPossible(`The site answered with status ${statusCode}.`);
  }
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity') throw new NotPossible('The site answered with a compressed body.');
  return (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}
