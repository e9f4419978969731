import { expect, test } from 'vitest';
import { isCommonPassword } from '../../../src/endpoints/server/common-passwords.ts';
import { runConfab } from '../../support/processes/run.ts';
import { temporaryFolder } from '../../support/scratch.ts';
import { startServer } from '../../support/start-server.ts';

test.each(['password', 'Password1', '123456', 'qwerty123', 'iloveyou', 'letmein2024', 'DRAGON!!'])(
  '%s is common',
  async (password) => {
    expect(await isCommonPassword(password)).toBe(true);
  },
);

test.each(['correct horse', 'battery staple', 'x4f0q-Lm', '日本語のパスワード'])(
  '%s is not',
  async (password) => {
    expect(await isCommonPassword(password)).toBe(false);
  },
);

const REFUSED = {
  status: 400,
  body: { result: 'error', code: 'BAD_REQUEST', msg: expect.stringMatching(/too weak/) },
};

test('a common password is refused for an account that is made', async () => {
  const server = await startServer();
  const { ada } = server.people;
  const person = { email: 'new@example.com', full_name: 'Nia New', password: 'sunshine1' };
  expect(await server.post(ada, '/users', person)).toMatchObject(REFUSED);
  const made = await server.post(ada, '/users', { ...person, password: 'correct horse' });
  expect(made.status).toBe(200);
});

test('a common password is refused by the command line', async () => {
  const data = temporaryFolder();
  await runConfab(data, 'realm', 'create', 'demo');
  const account = ['--email', 'zoe@example.com', '--name', 'Zoe'];
  const refused = await runConfab(data, 'user', 'create', ...account, '--password', 'Sunshine1');
  expect(refused).toMatchObject({ code: 4, stderr: expect.stringMatching(/too weak/) });
  const made = await runConfab(data, 'user', 'create', ...account, '--password', 'correct horse');
  expect(made.code).toBe(0);
});
