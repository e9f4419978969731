import { expect, test } from 'vitest';
import type { Reply } from '../../support/client.ts';
import { openRandom } from '../../support/random.ts';
import {
  document,
  OPERATIONS,
  openRestoring,
  populated,
  unparked,
} from '../../support/realms/populated-realm.ts';
import { openStateDigest } from '../../support/realms/state-digest.ts';
import {
  type GeneratedRequest,
  generatedRequest,
} from '../../support/requests/generated-requests.ts';
import { runs } from '../../support/runs.ts';
import type { TestServer } from '../../support/start-server.ts';
import type { Person } from '../../support/users.ts';

const SEED = 20_261_120;
const REQUESTS_PER_ENDPOINT = runs({ few: 8, all: 25 });
/** No request waits for anything: what takes longer than this hangs. */
const ANSWER_MS_MAX = 10_000;

test('no request of anybody is a fault of the server, hangs, or changes anything when it is refused', async () => {
  const { server, reader, callers, vocabulary } = await populated();
  const restore = await openRestoring(server);
  const random = openRandom(SEED);
  const digestNow = openStateDigest(server, reader);
  let digest = digestNow();
  let version = reader.accountsVersion();
  let changes = 0;
  let refusals = 0;
  for (let round = 0; round < REQUESTS_PER_ENDPOINT; round++) {
    for (const target of OPERATIONS) {
      const request = unparked(generatedRequest({ random, document, vocabulary }, target));
      const as = callers[random.below(callers.length)] ?? null;
      const what = () =>
        `seed ${SEED}, round ${round}: ${as?.fullName ?? 'nobody'} asked ${shown(request)}`;
      const reply = await ask(server, request, as, what);
      expect(reply.status < 500, `${what()} and got ${JSON.stringify(reply.body)}`).toBe(true);
      expect(server.bugs, what()).toEqual([]);
      const after = digestNow();
      // Some invitations may have gone out before one is refused, and the refusal says so.
      if (reply.status >= 400 && reply.body.sent_invitations !== true) {
        refusals += 1;
        expect(after === digest, `${what()}, was refused and changed something`).toBe(true);
      } else if (after !== digest) changes += 1;
      digest = after;
      if (reader.accountsVersion() !== version) {
        await restore();
        version = reader.accountsVersion();
        digest = digestNow();
      }
    }
  }
  // Requests that are all refused, or all taken, would show little.
  expect(changes).toBeGreaterThan((REQUESTS_PER_ENDPOINT * OPERATIONS.length) / 50);
  expect(refusals).toBeGreaterThan((REQUESTS_PER_ENDPOINT * OPERATIONS.length) / 5);
});

async function ask(
  server: TestServer,
  { method, path, body }: GeneratedRequest,
  as: Person | null,
  what: () => string,
): Promise<Reply> {
  try {
    return await server.request(method, path, {
      as,
      signal: AbortSignal.timeout(ANSWER_MS_MAX),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      ...(body === undefined ? {} : { body }),
    });
  } catch (error) {
    throw new Error(`${what()}: ${String(error)}`, { cause: error });
  }
}

const shown = ({ method, path, body = '' }: GeneratedRequest) =>
  `${method} ${path.slice(0, 1_000)} ${body.slice(0, 1_000)}`;
