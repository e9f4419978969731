import { request } from 'node:http';
import { runCommand } from '../../../src/admin/commands.ts';
import type { TestServer } from '../start-server.ts';

/** A directory that speaks SCIM with a server. */
export interface Directory {
  readonly token: string;
  ask(method: string, path: string, body?: unknown, headers?: object): Promise<Told>;
}

export interface Told {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  // biome-ignore lint/suspicious/noExplicitAny: what a test expects of a body is written in the test.
  readonly body: any;
}

/** Makes a token for the realm of a test, and speaks SCIM with it. */
export async function openDirectory(server: TestServer, host = 'test.localhost') {
  const realm = host.split('.')[0];
  const realms = server.app.realms;
  const [made] = (await runCommand(realms, 'scim token', { realm })) as { token: string }[];
  return speakScim(() => server.app.port, { token: made?.token ?? '', host });
}

/** Speaks SCIM with whatever listens at a port. */
export const speakScim = (
  port: () => number,
  { token, host = 'test.localhost' }: { readonly token: string; readonly host?: string },
): Directory => ({
  token,
  ask: (method, path, body, headers = {}) =>
    new Promise((resolve, reject) => {
      const asked = request(
        {
          port: port(),
          method,
          path: `/scim/v2${path}`,
          headers: {
            host,
            authorization: `Bearer ${token}`,
            ...(body === undefined ? {} : { 'content-type': 'application/scim+json' }),
            ...headers,
          },
        },
        (answer) => {
          const chunks: Buffer[] = [];
          answer.on('data', (chunk: Buffer) => void chunks.push(chunk));
          answer.on('end', () => {
            const text = Buffer.concat(chunks).toString();
            const { statusCode = 0, headers: told } = answer;
            const isJson = told['content-type']?.includes('json') === true && text !== '';
            resolve({
              status: statusCode,
              headers: told,
              body: isJson ? JSON.parse(text) : text,
            });
          });
        },
      );
      asked.on('error', reject);
      asked.end(body === undefined || typeof body === 'string' ? body : JSON.stringify(body));
    }),
});
