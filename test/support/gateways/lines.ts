import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import http from 'node:http';
import { onTestFinished } from 'vitest';
import { basic } from '../client.ts';
import type { Person } from '../users.ts';

/** A connection that stays, at whichever gateway the kernel has given it to. */
export interface Line {
  ask(as: Person, method: string, path: string, params?: object): Promise<Answer>;
  /** The port of this end; undefined before the first request. */
  port(): number | undefined;
}

export interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: what a test expects of a body is written in the test.
  readonly body: any;
}

/** Opens a connection, which asks one request after the other; it closes when the test ends. */
export function openLine(port: number, host = 'demo.localhost'): Line {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  let own: number | undefined;
  return {
    port: () => own,
    ask(as, method, path, params = {}) {
      const form = new URLSearchParams(
        Object.entries(params).map(([name, value]) => [
          name,
          typeof value === 'string' ? value : JSON.stringify(value),
        ]),
      ).toString();
      const isRead = method === 'GET';
      return new Promise((resolve, reject) => {
        const request = http.request({
          agent,
          host: '127.0.0.1',
          port,
          method,
          path: `/api/v1${path}${isRead && form !== '' ? `?${form}` : ''}`,
          headers: {
            host: `${host}:${port}`,
            authorization: basic(as),
            'content-type': 'application/x-www-form-urlencoded',
          },
        });
        request.on('error', reject);
        request.on('socket', (socket) => {
          if (!socket.connecting) return;
          socket.once('connect', () => {
            own = socket.localPort;
          });
        });
        request.on('response', async (response) => {
          const chunks: Buffer[] = [];
          for await (const chunk of response) chunks.push(chunk as Buffer);
          const text = Buffer.concat(chunks).toString();
          resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) });
        });
        request.end(isRead ? undefined : form);
      });
    },
  };
}

/** Returns the processes that a server has started. */
export function gatewaysOf(server: { pid(): number }): number[] {
  const children: number[] = [];
  for (const task of readdirSync(`/proc/${server.pid()}/task`)) {
    const line = readFileSync(`/proc/${server.pid()}/task/${task}/children`, 'utf8');
    children.push(...line.split(' ').filter(Boolean).map(Number));
  }
  return children;
}

/** Tells which connections a process has, by the ports of their clients. */
export function clientPortsOf(pid: number): ReadonlySet<number> {
  const inodes = new Set<string>();
  for (const fd of readdirSync(`/proc/${pid}/fd`)) {
    const found = /^socket:\[(\d+)\]$/.exec(linkOf(`/proc/${pid}/fd/${fd}`));
    if (found?.[1] !== undefined) inodes.add(found[1]);
  }
  const ports = new Set<number>();
  const tables = ['tcp', 'tcp6'].map((name) => readFileSync(`/proc/${pid}/net/${name}`, 'utf8'));
  for (const line of tables.join('').split('\n')) {
    const [, , remote = '', , , , , , , inode = ''] = line.trim().split(/\s+/);
    if (inodes.has(inode)) ports.add(Number.parseInt(remote.split(':')[1] ?? '', 16));
  }
  return ports;
}

/** A descriptor may have been closed since it was listed. */
function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
