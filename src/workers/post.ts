import http from 'node:http';
import https from 'node:https';
import { callable, NotPossible, publicLookup } from './hosts.ts';

export interface Posting {
  readonly url: string;
  readonly contentType: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** The largest response that is read. */
  readonly bytesMax: number;
  /** Allows private addresses: those of this machine and of the networks around it. */
  readonly allowsPrivate: boolean;
}

export interface Posted {
  readonly status: number;
  readonly text: string;
}

/** Sends one POST and follows no redirect. Rejects when there is no whole response in time. */
export function post(posting: Posting): Promise<Posted> {
  const url = callable(posting.url, posting);
  const { request } = url.protocol === 'https:' ? https : http;
  return new Promise((resolve, reject) => {
    const outgoing = request(
      url,
      {
        method: 'POST',
        // No connection is reused: the address of a new one is checked, whatever the host was
        // before.
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
