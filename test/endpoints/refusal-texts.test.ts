import { expect, test } from 'vitest';
import { channelRows } from '../support/refusal-texts/of-channels.ts';
import { messageRows } from '../support/refusal-texts/of-messages.ts';
import { peopleRows } from '../support/refusal-texts/of-people.ts';
import { realmRows } from '../support/refusal-texts/of-realm.ts';
import { makeWorld } from '../support/refusal-texts/world.ts';
import { startServer } from '../support/start-server.ts';

test.each([
  { about: 'messages', rowsOf: messageRows },
  { about: 'channels', rowsOf: channelRows },
  { about: 'people', rowsOf: peopleRows },
  { about: 'the organization', rowsOf: realmRows },
])('refusals say what clients of the API know: $about', async ({ rowsOf }) => {
  const server = await startServer();
  const rows = rowsOf(await makeWorld(server));
  const said: object[] = [];
  for (const { as, ask } of rows) {
    const [method, path, params] = ask;
    const { status, body } = await server[method](server.people[as], path, params);
    said.push({ ask, status, code: body.code, msg: body.msg });
  }
  expect(said).toEqual(
    rows.map(({ ask, status = 400, code = 'BAD_REQUEST', msg }) => ({ ask, status, code, msg })),
  );
});
