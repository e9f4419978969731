import { expect, test } from 'vitest';
import { ONBOARDING_STEPS } from '../../../src/domain/rules/people/onboarding.ts';
import { expectExactAfter } from '../../support/applying/follow.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';
import type { Person } from '../../support/users.ts';

const PATH = '/users/me/onboarding_steps';
const STEP = 'intro_inbox_view_modal';
const ALL = ONBOARDING_STEPS.map((name) => ({ type: 'one_time_notice', name }));
const LEFT = ALL.filter(({ name }) => name !== STEP);

const mark = (server: TestServer, as: Person, onboarding_step: unknown = STEP) =>
  server.post(as, PATH, { onboarding_step });

const stepsOf = async (server: TestServer, as: Person) =>
  (await server.register(as, { fetch_event_types: ['onboarding_steps'] })).state.onboarding_steps;

test('a hint that was shown is not shown again, on any device, also after a restart', async () => {
  const server = await startServer();
  const { mel, max, gus } = server.people;
  expect(await stepsOf(server, gus)).toEqual(ALL);
  const [own, other] = [await server.register(mel), await server.register(max)];
  expect((await mark(server, mel)).body).toEqual({ result: 'success', msg: '' });
  expect(await own.now()).toEqual([
    { id: expect.any(Number), type: 'onboarding_steps', onboarding_steps: LEFT },
  ]);
  expect(await other.now()).toEqual([]);
  expect(await stepsOf(server, max)).toEqual(ALL);
  await server.restart();
  expect(await stepsOf(server, mel)).toEqual(LEFT);
});

test('marking it again changes nothing, and is told to nobody', async () => {
  const server = await startServer();
  const { mel } = server.people;
  await mark(server, mel);
  const queue = await server.register(mel);
  expect((await mark(server, mel)).status).toBe(200);
  expect(await queue.now()).toEqual([]);
});

test('4: a snapshot and the event give what a fresh register gives', async () => {
  const server = await startServer();
  await expectExactAfter(server, async () => {
    for (const name of ONBOARDING_STEPS) await mark(server, server.people.gus, name);
  });
  expect(await stepsOf(server, server.people.gus)).toEqual([]);
});

test.each([
  { step: 'dance', msg: 'Unknown onboarding_step: dance' },
  { step: '', msg: 'Unknown onboarding_step: ' },
  { step: `"${STEP}`, msg: `Unknown onboarding_step: "${STEP}` },
  { step: 'x'.repeat(10_000), msg: `Unknown onboarding_step: ${'x'.repeat(100)}` },
  { step: undefined, msg: "Missing 'onboarding_step' argument" },
])('is refused, and nothing is marked: $msg', async ({ step, msg }) => {
  const server = await startServer();
  const { mel } = server.people;
  const reply = await server.post(mel, PATH, step === undefined ? {} : { onboarding_step: step });
  expect(reply).toMatchObject({ status: 400, body: { msg } });
  expect(reply.body.code).toBe(step === undefined ? 'REQUEST_VARIABLE_MISSING' : 'BAD_REQUEST');
  expect(await stepsOf(server, mel)).toEqual(ALL);
});

test('bots are shown none and mark none', async () => {
  const server = await startServer();
  const { bot } = server.people;
  expect(await stepsOf(server, bot)).toEqual([]);
  expect(await mark(server, bot)).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST' } });
});
