import { expect, test } from 'vitest';
import { type ErrorCode, STATUS_OF } from '../../../src/domain/wire/errors.ts';
import type { Endpoint } from '../../../src/endpoints/endpoint.ts';
import { ENDPOINTS } from '../../../src/endpoints/index.ts';
import { ACCESS_TO_MESSAGES } from '../../support/access/to-messages.ts';
import { ACCESS_TO_ORGANIZATION } from '../../support/access/to-organization.ts';
import { ASKERS, openWorld } from '../../support/access/world.ts';
import type { Reply } from '../../support/client.ts';

/**
 * A table says who may do what. It has a row for each endpoint, with a request that is well-formed
 * and that only the caller's rights decide. A new endpoint needs a row, or the test fails: the
 * request, made for each caller, and what each gets.
 */
const TABLE = { ...ACCESS_TO_MESSAGES, ...ACCESS_TO_ORGANIZATION };

test('every endpoint has a row', () => {
  const rows = [ACCESS_TO_MESSAGES, ACCESS_TO_ORGANIZATION].flatMap((table) => Object.keys(table));
  expect(rows.sort()).toEqual(ENDPOINTS.map(nameOf).sort());
});

test('everyone may do what the table says, and nothing else', async () => {
  const world = await openWorld();
  for (const endpoint of ENDPOINTS) {
    const row = TABLE[nameOf(endpoint)] ?? expect.fail('every endpoint has a row');
    const { request, outcomes, after } = row;
    for (const asker of ASKERS) {
      const { path = endpoint.path, params = {}, file } = await request(world, asker);
      const reply = await world.ask(endpoint, asker, { path, params, file });
      const what = `${nameOf(endpoint)} by ${asker}: ${JSON.stringify(reply.body).slice(0, 500)}`;
      expect(outcomeOf(reply), what).toBe(outcomes[asker]);
      await after?.(world, asker);
    }
  }
  expect(world.server.bugs).toEqual([]);
});

function nameOf({ method, path }: Endpoint): string {
  return `${method} ${path}`;
}

function outcomeOf({ status, body }: Reply): string {
  if (status === 200) return 'ok';
  const code = body.code as ErrorCode;
  return STATUS_OF[code] === status ? code : `${status} ${code}`;
}
