import { existsSync, readdirSync } from 'node:fs';
import http from 'node:http';
import { join, relative } from 'node:path';
import { basic, type Client, type Reply } from '../client.ts';
import type { TestServer } from '../start-server.ts';
import type { Person } from '../users.ts';
import { uploadsFolder } from './object-service.ts';

export interface UploadedPart {
  readonly content: string | Buffer;
  /** Null: a field that is no file. */
  readonly filename?: string | null;
  readonly contentType?: string;
  readonly field?: string;
}

const BOUNDARY = 'xXboundaryXx';

/** A multipart body as clients write it. */
export const multipart = (parts: readonly UploadedPart[]): Buffer =>
  Buffer.concat([
    ...parts.flatMap(({ content, filename = 'file.txt', contentType, field = 'file' }) => [
      Buffer.from(
        `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${field}"` +
          `${filename === null ? '' : `; filename="${filename}"`}\r\n` +
          `${contentType === undefined ? '' : `Content-Type: ${contentType}\r\n`}\r\n`,
      ),
      Buffer.from(content as string), // a copy, of either
      Buffer.from('\r\n'),
    ]),
    Buffer.from(`--${BOUNDARY}--\r\n`),
  ]);

export const MULTIPART = `multipart/form-data; boundary=${BOUNDARY}`;

/** Sends these parts as one upload. */
export const upload = (
  client: Pick<Client, 'request'>,
  as: Person | null,
  ...parts: readonly UploadedPart[]
): Promise<Reply> => uploadTo(client, as, '/user_uploads', ...parts);

/** The same where an endpoint takes a file of its own. */
export const uploadTo = (
  client: Pick<Client, 'request'>,
  as: Person | null,
  path: string,
  ...parts: readonly UploadedPart[]
): Promise<Reply> =>
  client.request('POST', path, {
    as,
    headers: { 'content-type': MULTIPART },
    body: multipart(parts),
  });

/** Uploads one file, which must succeed, and gives its URL. */
export async function uploaded(
  client: Pick<Client, 'request'>,
  as: Person,
  part: UploadedPart = { content: 'hello' },
): Promise<string> {
  const { status, body } = await upload(client, as, part);
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body.url;
}

/**
 * Every file there is of the first realm, from its folder of uploads: also what is being received,
 * and the parts of files, where they are elsewhere.
 */
export function storedFiles(data: string): string[] {
  const root = uploadsFolder(data);
  const own = join(data, 'realms', '1', 'uploads');
  const roots = root === own ? [own] : [own, root, join(root, '..', 'parts')];
  return roots
    .filter((folder) => existsSync(folder))
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => relative(root, join(parentPath, name))),
    )
    .sort();
}

interface Download {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly bytes: Buffer;
}

interface Downloading {
  readonly as?: Person;
  readonly method?: string;
  readonly headers?: http.OutgoingHttpHeaders;
  readonly host?: string;
}

/** Downloads a path of the root of the server. */
export const download = (
  { app }: { readonly app: Pick<TestServer['app'], 'port'> },
  path: string,
  { as, method = 'GET', headers = {}, host = 'test.localhost' }: Downloading = {},
): Promise<Download> =>
  new Promise((resolve, reject) => {
    const authorization = as === undefined ? {} : { authorization: basic(as) };
    const request = http.request({
      port: app.port,
      host: '127.0.0.1',
      method,
      path,
      headers: { host: `${host}:${app.port}`, ...authorization, ...headers },
      agent: false,
    });
    request.on('error', reject);
    request.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const { statusCode = 0, headers } = response;
        resolve({ status: statusCode, headers, bytes: Buffer.concat(chunks) });
      });
    });
    request.end();
  });
