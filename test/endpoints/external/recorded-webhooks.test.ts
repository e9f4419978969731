import { expect, test } from 'vitest';
import type { TestQueue } from '../../support/client.ts';
import { startServer } from '../../support/start-server.ts';
import { makeSender, post } from '../../support/webhooks/deliveries.ts';
import { recordedGithub, recordedGitlab } from '../../support/webhooks/recorded-webhooks.ts';

/** Each chapter has as many as one test has time for. */
const chapters = [0, 1, 2, 3].map((nth) => ({
  nth,
  some: recordedGithub.filter((_, at) => at % 4 === nth),
}));

test.each(chapters)(
  'every recorded event of GitHub is posted, or answered with that it is not told of ($nth)',
  async ({ some: recorded }) => {
    const server = await startServer({ channels: ['general'] });
    const { ona, mel } = server.people;
    const bot = await makeSender(server, mel);
    const queue = await server.register(ona, { event_types: ['message'], apply_markdown: true });
    let told = 0;
    for (const { event, examples } of recorded) {
      const headers = { 'X-GitHub-Event': event };
      const replies = await Promise.all(
        examples.map((payload) =>
          post(server, 'github', bot, { query: { stream: 'general' }, headers, payload }),
        ),
      );
      for (const { status, body } of replies) {
        expect(status).toBe(200);
        if (body.code === undefined) {
          expect(body).toEqual({ result: 'success', msg: '', ok: true });
          told += 1;
        } else {
          expect(body).toMatchObject({
            result: 'success',
            code: 'UNSUPPORTED_WEBHOOK_EVENT_TYPE',
            event_type: expect.stringMatching(new RegExp(`^${event}(?: |$)`)),
          });
        }
      }
    }
    expect(told).toBeGreaterThan(30);
    await expectPosted(queue, told);
    expect(server.bugs).toEqual([]);
  },
);

test('every recorded event of GitLab is posted', async () => {
  const server = await startServer({ channels: ['general'] });
  const { ona, mel } = server.people;
  const bot = await makeSender(server, mel);
  const queue = await server.register(ona, { event_types: ['message'], apply_markdown: true });
  const replies = await Promise.all(
    recordedGitlab.map(({ payload }) =>
      post(server, 'gitlab', bot, { query: { stream: 'general' }, payload }),
    ),
  );
  for (const { status, body } of replies) {
    expect({ status, body }).toEqual({
      status: 200,
      body: { result: 'success', msg: '', ok: true },
    });
  }
  await expectPosted(queue, recordedGitlab.length);
  expect(server.bugs).toEqual([]);
});

/** Checks that so many messages have come, each a paragraph with a topic. */
async function expectPosted(queue: TestQueue, count: number): Promise<void> {
  const posted = [];
  for (let some = await queue.now(); some.length > 0; some = await queue.now()) {
    posted.push(...some.map(({ message }) => message as { content: string; subject: string }));
  }
  expect(posted).toHaveLength(count);
  for (const { content, subject } of posted) {
    expect(content).toMatch(/^<p>/);
    expect(subject).not.toBe('');
  }
}
