import dns from 'node:dns';
import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import { isSpecialAddress } from './addresses.ts';

export interface Posting {
  readonly url: string;
  readonly contentType: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Of the answer. */
  readonly bytesMax: number;
  /** Whether addresses of this machine and of the networks around it may be called. */
  readonly allowsPrivate: boolean;
}

export interface Posted {
  readonly status: number;
  readonly text: string;
}

/** It will not get better by trying again. */
export class NotPossible extends Error {}

/** One POST, without following anything: rejects when there is no whole answer in time. */
export function post(posting: Posting): Promise<Posted> {
  const url = urlOf(posting);
  const { request } = url.protocol === 'https:' ? https : http;
  return new Promise((resolve, reject) => {
    const outgoing = request(
      url,
      {
        method: 'POST',
        // A connection of its own: one that was checked is not taken for another host later.
        agent: false,
        signal: AbortSignal.timeout(posting.timeoutMs),
        headers: {
          'content-type': posting.contentType,
          'content-length': Buffer.byteLength(posting.body),
          'user-agent': 'confab',
          ...posting.headers,
        },
        ...(posting.allowsPrivate ? {} : { lookup: publicLookup }),
      },
      (response) => {
        read(response, posting.bytesMax).then(
          (text) => resolve({ status: response.statusCode ?? 0, text }),
          (error) => {
            outgoing.destroy();
            reject(error);
          },
        );
      },
    );
    outgoing.on('error', reject);
    outgoing.end(posting.body);
  });
}

/** A name is judged by what it resolves to when the connection is made; an address is never looked up, so it is judged here. */
function urlOf({ url: text, allowsPrivate }: Posting): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) {
    throw new NotPossible('The URL is not one of http or https.');
  }
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (!allowsPrivate && net.isIP(host) !== 0 && isSpecialAddress(host)) {
    throw new NotPossible(PRIVATE);
  }
  return url;
}

const PRIVATE = 'The URL leads to an address that is not public.';

/** The addresses of a name, of which none may be a private one: a name that has both is not trusted. */
const publicLookup: net.LookupFunction = (hostname, options, callback) => {
  dns.lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error !== null) return callback(error, '', 0);
    const [first] = addresses;
    if (first === undefined || addresses.some(({ address }) => isSpecialAddress(address))) {
      return callback(new NotPossible(PRIVATE), '', 0);
    }
    if (options.all) callback(null, addresses);
    else callback(null, first.address, first.family);
  });
};

async function read(response: http.IncomingMessage, bytesMax: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > bytesMax) throw new NotPossible(`The answer is larger than ${bytesMax} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
