import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ServerProcess, startProcess } from '../support/processes/start-process.ts';
import { temporaryFolder } from '../support/scratch.ts';
import type { Person } from '../support/users.ts';

/** A server as the clients expect it: it has the names that they spell in their own way as well. */
export interface Served extends ServerProcess {
  readonly url: string;
  person(name: string): Person;
  /** The password of a person of the demo realm. */
  password(name: string): string;
  /** The file with which somebody logs in to the clients in Python. */
  credentialsFile(name: string): string;
  /** A copy of its data, made while it is stopped; it goes on then. */
  backUp(): Promise<string>;
  /** Puts a copy in the place of its data: whatever was after it never was. */
  restore(backup: string): Promise<void>;
}

export async function serveClients(env: Readonly<Record<string, string>> = {}): Promise<Served> {
  const server = await startProcess({ CONFAB_ALIAS_PREFIX: 'zulip', ...env });
  const url = `http://127.0.0.1:${server.port()}`;
  const person = (name: string) => {
    const found = server.people[name];
    if (found === undefined) throw new Error(`nobody is called ${name}`);
    return found;
  };
  return {
    ...server,
    url,
    person,
    password(name) {
      const { users } = JSON.parse(
        readFileSync(join(server.data, 'demo-credentials.json'), 'utf8'),
      ) as { users: { email: string; password: string | null }[] };
      return users.find(({ email }) => email === person(name).email)?.password ?? '';
    },
    credentialsFile(name) {
      const file = join(temporaryFolder(), 'zuliprc');
      const { email, apiKey } = person(name);
      writeFileSync(file, `[api]\nemail=${email}\nkey=${apiKey}\nsite=${url}\n`, { mode: 0o600 });
      return file;
    },
    async backUp() {
      const backup = temporaryFolder();
      await server.end('SIGTERM');
      cpSync(server.data, backup, { recursive: true });
      await server.start();
      return backup;
    },
    async restore(backup) {
      await server.end('SIGKILL');
      rmSync(server.data, { recursive: true });
      cpSync(backup, server.data, { recursive: true });
      await server.start();
    },
  };
}

/** Sends a message in `general` as somebody, and returns its id. */
export async function sendTo(
  server: Served,
  name: string,
  { topic, content }: { readonly topic: string; readonly content: string },
): Promise<number> {
  const message = { type: 'channel', to: 'general', topic, content };
  const { status, body } = await server.post(server.person(name), '/messages', message);
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body.id;
}
