import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MESSAGE_LENGTH_MAX } from '../../src/domain/limits/messages.ts';
import { ApiError } from '../../src/domain/wire/errors.ts';
import { contentByItself, type Integration } from '../../src/integrations/integration.ts';
import { INTEGRATIONS } from '../../src/integrations/integrations.ts';
import { runs } from '../support/runs.ts';
import {
  changedPayloads,
  recordedGithub,
  recordedGitlab,
} from '../support/webhooks/recorded-webhooks.ts';

const { github, gitlab } = INTEGRATIONS;

/**
 * Returns the text of the message, or the reason why there is none; any other exception is a fault.
 */
function said(service: Integration, payload: unknown, event = ''): string {
  try {
    const { topic, branch, content } = service.notice(payload, event);
    return `topic: ${topic}${branch === undefined ? '' : `\nbranch: ${branch}`}\n\n${content}`;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return `${error.status} ${error.code}: ${error.extra['event_type'] ?? error.message}`;
  }
}

test('what is said of every recorded event of GitHub', async () => {
  const chapters = recordedGithub.map(({ event, examples }) => {
    const all = new Set(examples.map((payload) => said(github, payload, event)));
    return [`# ${event}`, ...all].join('\n\n');
  });
  // A person reads this file whenever it changes: each message makes sense, and leads to what it is
  // about.
  await expect(`${chapters.join('\n\n')}\n`).toMatchFileSnapshot(
    '../fixtures/webhooks/github-recorded.md',
  );
});

test('what is said of every recorded event of GitLab', async () => {
  const chapters = recordedGitlab.map(
    ({ name, payload }) => `# ${name}\n\n${said(gitlab, payload)}`,
  );
  await expect(`${chapters.join('\n\n')}\n`).toMatchFileSnapshot(
    '../fixtures/webhooks/gitlab-recorded.md',
  );
});

test.each(recordedGitlab)('something is said of $name', ({ payload }) => {
  expect(said(gitlab, payload)).toMatch(/^topic: /);
});

/**
 * Events for which there is no message: GitHub sends them only to its apps, or they are commands to
 * a machine.
 */
const NOT_SPOKEN_OF = [
  'github_app_authorization',
  'installation',
  'installation_repositories',
  'marketplace_purchase',
  'merge_group',
  'project',
  'project_card',
  'project_column',
  'projects_v2_item',
  'repository_dispatch',
  'security_advisory',
  'sponsorship',
  'workflow_dispatch',
];

test('no recorded event but those of apps and automation is unknown', () => {
  const unknown = recordedGithub
    .map(({ event }) => event)
    .filter((event) => !github.eventTypes?.includes(event));
  expect(unknown).toEqual(NOT_SPOKEN_OF);
});

test('no recorded payload of an event that is told of lacks anything', () => {
  for (const { event, examples } of recordedGithub) {
    for (const payload of examples) expect(said(github, payload, event)).not.toMatch(/^400/);
  }
});

test('a message whose topic is not its own says what it is about', () => {
  const [push] = recordedGithub.find(({ event }) => event === 'push')?.examples ?? [];
  const [star] = recordedGithub.find(({ event }) => event === 'star')?.examples ?? [];
  const where = '[Codertocat/Hello-World](https://github.com/Codertocat/Hello-World)';
  const notice = github.notice(push, 'push');
  expect(contentByItself(notice)).toBe(`${where}: ${notice.content}`);
  const named = github.notice(star, 'star');
  expect(named.content).toContain(where);
  expect(contentByItself(named)).toBe(named.content);
  const long = { ...notice, content: 'x'.repeat(MESSAGE_LENGTH_MAX) };
  expect([...contentByItself(long)]).toHaveLength(MESSAGE_LENGTH_MAX);
  const { where: _, ...nowhere } = notice;
  expect(contentByItself(nowhere)).toBe(notice.content);
});

test('a recorded payload with anything in place of some of its parts is told of or refused', () => {
  fc.assert(
    fc.property(changedPayloads, ({ service, event, payload: changed }) => {
      try {
        const { topic, content } = INTEGRATIONS[service].notice(changed, event);
        expect(content.trim()).not.toBe('');
        expect([...content].length).toBeLessThanOrEqual(MESSAGE_LENGTH_MAX);
        expect(topic).not.toMatch(/[\p{Cc}\p{Cs}]/u);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        expect(error.code).toMatch(
          /^(?:ANOMALOUS_WEBHOOK_PAYLOAD|UNSUPPORTED_WEBHOOK_EVENT_TYPE)$/,
        );
      }
    }),
    { numRuns: runs({ few: 200, all: 1_000 }), seed: 20_261_122 },
  );
});
