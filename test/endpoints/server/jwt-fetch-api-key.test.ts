import { expect, test } from 'vitest';
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
