import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exportSPKI, generateKeyPair, SignJWT } from 'jose';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../support/scratch.ts';
import { startServer } from '../../support/start-server.ts';

test.each([{}, { token: 'a.b.c' }, { token: '', include_profile: true }])(
  'no other service vouches for accounts: %j',
  async (params) => {
    const server = await startServer();
    expect(await server.post(null, '/jwt/fetch_api_key', params)).toMatchObject({
      status: 400,
      body: {
        result: 'error',
        code: 'BAD_REQUEST',
        msg: 'JWT authentication is not enabled for this organization',
      },
    });
  },
);

const SECRET = 'a secret of more than thirty-two bytes';

async function withKey() {
  const { privateKey, publicKey } = await generateKeyPair('RS256');
  const entries = [
    {
      type: 'jwt',
      name: 'portal',
      algorithms: ['HS256'],
      key: { env: 'PORTAL' },
      audience: 'chat',
    },
    { type: 'jwt', name: 'other', algorithms: ['RS256'], key: await exportSPKI(publicKey) },
  ];
  const path = join(temporaryFolder(), 'sign-in.json');
  writeFileSync(path, JSON.stringify({ entries }));
  const server = await startServer({ env: { CONFAB_SIGN_IN: path, PORTAL: SECRET } });
  const token = (claims: object, end = '1m', key = SECRET) =>
    new SignJWT({ aud: 'chat', ...claims })
      .setProtectedHeader({ alg: 'HS256' })
      .setExpirationTime(end)
      .sign(Buffer.from(key));
  return { server, token, privateKey, spki: entries[1]?.key as string };
}

test('a token of the operator’s service gives a key that works, with the profile', async () => {
  const { server, token, privateKey } = await withKey();
  const { mel } = server.people;
  const params = { token: await token({ email: mel.email }), include_profile: true };
  const { body } = await server.post(null, '/jwt/fetch_api_key', params);
  expect(body).toMatchObject({ user_id: mel.id, email: mel.email, user: { user_id: mel.id } });
  const holder = { ...mel, apiKey: String(body['api_key']) };
  expect((await server.get(holder, '/users/me')).body).toMatchObject({ user_id: mel.id });
  const rows = await server.perform((tx) => [...tx.auditLog.range({})].map(([, row]) => row));
  expect(rows.at(-1)).toMatchObject({
    kind: 'key',
    actingUserId: mel.id,
    after: { user_id: mel.id, made_by: 'jwt' },
  });
  const signed = await new SignJWT({ email: mel.email })
    .setProtectedHeader({ alg: 'RS256' })
    .setExpirationTime('1m')
    .sign(privateKey);
  expect((await server.post(null, '/jwt/fetch_api_key', { token: signed })).status).toBe(200);
});

test('other tokens give nothing', async () => {
  const { server, token, spki } = await withKey();
  const { email } = server.people.mel;
  const bad = 'Bad JSON web token';
  for (const [given, code, msg] of [
    [await token({ email }, '-2m'), 'BAD_REQUEST', bad],
    [
      await token({ email }, '1m', 'another secret of thirty-two bytes or more'),
      'BAD_REQUEST',
      bad,
    ],
    [await token({ email }, '1m', spki), 'BAD_REQUEST', bad],
    [await token({ email, aud: 'else' }), 'BAD_REQUEST', bad],
    [await token({}), 'BAD_REQUEST', bad],
    ['', 'BAD_REQUEST', 'No JSON web token passed in request'],
    [await token({ email: 'nobody@example.com' }), 'AUTHENTICATION_FAILED', expect.any(String)],
  ] as const) {
    const { body } = await server.post(null, '/jwt/fetch_api_key', { token: given });
    expect(body).toMatchObject({ result: 'error', code, msg });
    expect(body).not.toHaveProperty('api_key');
  }
});
