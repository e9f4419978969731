import { expect, test } from 'vitest';
import { startServer } from '../../support/start-server.ts';

test('nobody gets a key without a password, or a list of accounts without a key', async () => {
  const server = await startServer();
  const { mel } = server.people;
  const refused = {
    status: 400,
    body: { result: 'error', code: 'BAD_REQUEST', msg: 'Endpoint not available in production.' },
  };
  expect(await server.post(null, '/dev_fetch_api_key', { username: mel.email })).toMatchObject(
    refused,
  );
  expect(await server.get(null, '/dev_list_users')).toMatchObject(refused);
  expect(await server.get(mel, '/dev_list_users')).toMatchObject(refused);
});
