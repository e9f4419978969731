import type { TestServer } from '../start-server.ts';
import type { Person } from '../users.ts';

export async function send(server: TestServer, as: Person, content: string, more: object = {}) {
  const sent = { type: 'channel', to: 'general', topic: 'files', content, ...more };
  const { status, body } = await server.post(as, '/messages', sent);
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body.id as number;
}

/** The messages that link each of their files. */
export const linked = async (server: TestServer, as: Person) =>
  (await server.get(as, '/attachments')).body.attachments.map(
    ({ messages }: { messages: { id: number }[] }) => messages.map(({ id }) => id),
  );

/** The parameters of a queue that hears only of files. */
export const files = { event_types: ['attachment'], fetch_event_types: [] };

export const idsOf = async (server: TestServer, as: Person) =>
  (await server.get(as, '/attachments')).body.attachments.map(({ id }: { id: number }) => id);

/** As long as takes whatever the clock sets off in steps. */
export async function someMoments(server: TestServer) {
  for (let count = 0; count < 10; count++) await server.advance(1);
}
