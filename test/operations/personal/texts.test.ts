import { expect, test } from 'vitest';
import { MESSAGE_LENGTH_MAX } from '../../../src/domain/limits/messages.ts';
import { PERSONAL_TEXTS_LENGTH_MAX } from '../../../src/domain/limits/personal.ts';
import type { Reply } from '../../support/client.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';

const LONG = 'x'.repeat(MESSAGE_LENGTH_MAX);
const MANY = PERSONAL_TEXTS_LENGTH_MAX / MESSAGE_LENGTH_MAX;

interface Kind {
  readonly kind: string;
  readonly path: string;
  /** The number of times that the length of a text counts. */
  readonly copies: number;
  add(server: TestServer, content: string): Promise<Reply>;
  edit(server: TestServer, id: number, content: string): Promise<Reply>;
  idOf(reply: Reply): number;
}

const KINDS: readonly Kind[] = [
  {
    kind: 'drafts',
    path: '/drafts',
    copies: 1,
    add: (server, content) =>
      server.post(server.people.mel, '/drafts', {
        drafts: [{ type: '', to: [], topic: '', content }],
      }),
    edit: (server, id, content) =>
      server.patch(server.people.mel, `/drafts/${id}`, {
        draft: { type: '', to: [], topic: '', content },
      }),
    idOf: ({ body }) => body.ids[0],
  },
  {
    kind: 'saved snippets',
    path: '/saved_snippets',
    copies: 1,
    add: (server, content) =>
      server.post(server.people.mel, '/saved_snippets', { title: 'soup', content }),
    edit: (server, id, content) =>
      server.patch(server.people.mel, `/saved_snippets/${id}`, { content }),
    idOf: ({ body }) => body.saved_snippet_id,
  },
  {
    kind: 'scheduled messages',
    path: '/scheduled_messages',
    copies: 2,
    add: (server, content) =>
      server.post(server.people.mel, '/scheduled_messages', {
        type: 'direct',
        to: [server.people.max.id],
        content,
        scheduled_delivery_timestamp: 4_000_000_000,
      }),
    edit: (server, id, content) =>
      server.patch(server.people.mel, `/scheduled_messages/${id}`, { content }),
    idOf: ({ body }) => body.scheduled_message_id,
  },
];

test.each(KINDS)(
  '$kind of one user have a bound for all of them together',
  async ({ kind, path, copies, add, edit, idOf }) => {
    const server = await startServer();
    const refusal = {
      status: 400,
      body: {
        code: 'BAD_REQUEST',
        msg: `Your ${kind} can have at most 2000000 characters altogether.`,
      },
    };
    const short = idOf(await add(server, 'soup'));
    await add(server, 'tea');
    let count = 0;
    let reply = await add(server, LONG);
    for (; reply.status === 200 && count <= MANY; count++) reply = await add(server, LONG);
    expect(reply).toMatchObject(refusal);
    // Two short ones are there as well.
    expect(count).toBe(MANY / copies - 1);
    // A text that is there can be made shorter, but no longer.
    expect(await edit(server, short, LONG)).toMatchObject(refusal);
    expect((await edit(server, short, 'tea')).status).toBe(200);
    const { mel } = server.people;
    expect((await server.delete(mel, `${path}/${short}`)).status).toBe(200);
    const { body } = await server.get(mel, path);
    expect(JSON.stringify(body).length).toBeLessThan(1.1 * PERSONAL_TEXTS_LENGTH_MAX);
  },
);
