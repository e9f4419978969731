import type { Params, Reply } from '../client.ts';
import { startServer, type TestServer } from '../start-server.ts';
import type { Person } from '../users.ts';

export const IN_GENERAL = { stream: 'general', topic: 'builds' };

/** A server, its people, and the bot of one of them that does nothing but send. */
export async function withSender() {
  const server = await startServer({ channels: ['general'] });
  const bot = await makeSender(server, server.people.mel);
  return { server, ...server.people, bot };
}

/** A bot that does nothing but send, of this owner. */
export async function makeSender(
  server: TestServer,
  owner: Person,
  name = 'herald',
): Promise<Person> {
  const fullName = `The ${name}`;
  const bot = { full_name: fullName, short_name: name, bot_type: 2 };
  const { body } = await server.post(owner, '/bots', bot);
  if (body.result !== 'success') throw new Error(JSON.stringify(body));
  return { id: body.user_id, email: `${name}-bot@test.localhost`, fullName, apiKey: body.api_key };
}

interface Posting {
  /** Parameters of the URL, besides the key. */
  readonly query?: Params;
  readonly headers?: Record<string, string>;
  /** Sent as JSON, a text as it is. */
  readonly payload?: unknown;
}

/** Posts as a service does that has the URL of this bot. */
export function post(
  server: Pick<TestServer, 'request'>,
  integration: string,
  bot: Person,
  { query = {}, headers = {}, payload }: Posting,
): Promise<Reply> {
  const params = new URLSearchParams({ api_key: bot.apiKey });
  for (const [name, value] of Object.entries(query)) {
    params.set(name, typeof value === 'string' ? value : JSON.stringify(value));
  }
  return server.request('POST', `/external/${integration}?${params}`, {
    headers: { 'content-type': 'application/json', ...headers },
    ...(payload === undefined
      ? {}
      : { body: typeof payload === 'string' ? payload : JSON.stringify(payload) }),
  });
}

/** The newest message that this user has. */
export async function newest(server: TestServer, as: Person) {
  const range = { anchor: 'newest', num_before: 1, num_after: 0, apply_markdown: false };
  const { body } = await server.get(as, '/messages', range);
  return body.messages[0];
}
