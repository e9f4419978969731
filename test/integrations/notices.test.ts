import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MESSAGE_LENGTH_MAX } from '../../src/domain/limits/messages.ts';
import { ApiError } from '../../src/domain/wire/errors.ts';
import { matches, passesFilter } from '../../src/integrations/integration.ts';
import {
  INTEGRATION_NAMES,
  INTEGRATIONS,
  type IntegrationName,
} from '../../src/integrations/integrations.ts';
import { NO_NAMES } from '../../src/markdown/directory.ts';
import { type RenderedContent, renderMarkdown } from '../../src/markdown/markdown.ts';
import { runs } from '../support/runs.ts';

const FIXTURES = 'test/fixtures/webhooks';

interface Fixture {
  readonly service: IntegrationName;
  readonly name: string;
  readonly event: string;
  readonly payload: unknown;
  /** The topic, an empty line, and the message. */
  readonly expected: string;
}

const fixtures: readonly Fixture[] = INTEGRATION_NAMES.flatMap((service) =>
  readdirSync(`${FIXTURES}/${service}`)
    .filter((file) => file.endsWith('.json'))
    .map((file) => {
      const path = `${FIXTURES}/${service}/${file}`;
      const { event = '', payload } = JSON.parse(readFileSync(path, 'utf8'));
      const expected = readFileSync(path.replace(/json$/, 'md'), 'utf8');
      return { service, name: file.slice(0, -5), event, payload, expected };
    }),
);

const noticeOf = ({ service, event, payload }: Pick<Fixture, 'service' | 'event' | 'payload'>) =>
  INTEGRATIONS[service].notice(payload, event);

const named = (service: string, name: string) =>
  fixtures.find((one) => one.service === service && one.name === name) ?? expect.fail(name);

test.each(fixtures)('$service: the message about $name', (fixture) => {
  const { topic, content } = noticeOf(fixture);
  expect(`${topic}\n\n${content}\n`).toBe(fixture.expected);
});

/** Everybody and every group that a text could mention exists. */
const EVERYBODY = {
  ...NO_NAMES,
  usersNamed: () => [{ userId: 1, fullName: 'Mel', isActive: true }],
  user: (userId: number) => ({ userId, fullName: 'Mel', isActive: true }),
  groupNamed: (name: string) => ({ groupId: 1, name, isActive: true }),
};

const expectNoMentions = (rendered: RenderedContent) =>
  expect({
    users: [...rendered.mentionedUserIds],
    groups: [...rendered.mentionedGroupIds],
    channel: rendered.hasChannelWildcard,
    topic: rendered.hasTopicWildcard,
    spans: rendered.html.includes('mention"'),
  }).toEqual({ users: [], groups: [], channel: false, topic: false, spans: false });

const HOSTILE =
  '@**all** @*g* @_**Mel** @**topic** ](x) [a](javascript:b) `x ```\n````quote\n@**all**\n~~~\n/poll a\n> <https://a.example|@**all**>';

test.each(fixtures)('$service: no text of $name mentions anybody', (fixture) => {
  const payload = withTexts(fixture.payload, (text) => (isWord(text) ? text : HOSTILE));
  const { content, topic } = noticeOf({ ...fixture, payload });
  expect(topic).not.toMatch(/\p{Cc}/u);
  const rendered = renderMarkdown(content, EVERYBODY);
  expectNoMentions(rendered);
  expect(rendered.html).not.toMatch(/href="javascript/);
});

test('what could be mentioned is, where nobody prevents it', () => {
  expect(() => expectNoMentions(renderMarkdown('@**all** @**Mel**', EVERYBODY))).toThrow();
});

test.each(fixtures)('$service: however long the texts of $name are, it is a message', (fixture) => {
  for (const long of [
    'x'.repeat(30_000),
    '*'.repeat(30_000),
    '`'.repeat(30_000),
    '~😀*'.repeat(9_999),
  ]) {
    const payload = withTexts(fixture.payload, (text) => (isWord(text) ? text : long));
    const { content } = noticeOf({ ...fixture, payload });
    expect([...content].length).toBeLessThanOrEqual(MESSAGE_LENGTH_MAX);
    expect(content.trim().length).toBeGreaterThan(1);
  }
});

test('a payload with anything in place of a part of it is refused or told of, and no fault', () => {
  const anything = fc.constantFrom<unknown>(
    null,
    [],
    {},
    '',
    'x',
    -1,
    1e300,
    true,
    [[null]],
    HOSTILE,
    '\0\ud800',
  );
  fc.assert(
    fc.property(fc.constantFrom(...fixtures), fc.nat(200), anything, (fixture, at, other) => {
      const payload = withPart(fixture.payload, at, other);
      try {
        const { content, topic } = noticeOf({ ...fixture, payload });
        expect(content.trim()).not.toBe('');
        expect([...content].length).toBeLessThanOrEqual(MESSAGE_LENGTH_MAX);
        expect(topic).not.toContain('\0');
        expectNoMentions(renderMarkdown(content, EVERYBODY));
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        expect([
          'ANOMALOUS_WEBHOOK_PAYLOAD',
          'UNSUPPORTED_WEBHOOK_EVENT_TYPE',
          'BAD_REQUEST',
        ]).toContain(error.code);
      }
    }),
    { numRuns: runs({ few: 400, all: 2_000 }), seed: 20_261_121 },
  );
});

test.each([
  ['github', 'push', {}, 'repository'],
  ['github', 'issues', { action: 'opened', repository: { name: 'x' } }, 'issue'],
  ['github', 'push', { repository: { name: 7 }, ref: 'x' }, 'repository.name'],
  ['github', 'push', [], 'the whole'],
  ['gitlab', '', {}, 'object_kind'],
  ['gitlab', '', { object_kind: 'push', project: { name: 'x' } }, 'ref'],
  ['slack_incoming', '', 'text', 'the whole'],
  ['slack_incoming', '', { text: 7 }, 'text'],
  ['slack_incoming', '', { attachments: {} }, 'attachments'],
] as const)(
  '%s %s: a payload that lacks something is refused with its name: %j',
  (service, event, payload, where) => {
    const webhook_name = INTEGRATIONS[service].displayName;
    const refusal = refusalOf(() => noticeOf({ service, event, payload }));
    expect(refusal).toMatchObject({
      status: 400,
      code: 'ANOMALOUS_WEBHOOK_PAYLOAD',
      extra: { webhook_name },
    });
    expect(refusal.message).toContain(where === 'repository' ? 'missing' : where);
  },
);

test.each([{}, { text: ' ' }, { blocks: [{ type: 'unheard_of' }] }, { attachments: [{}] }])(
  'slack: nothing to show is refused: %j',
  (payload) => {
    const refusal = refusalOf(() => noticeOf({ service: 'slack_incoming', event: '', payload }));
    expect(refusal).toMatchObject({
      code: 'BAD_REQUEST',
      message: 'The payload has no text, no blocks and no attachments to show.',
    });
  },
);

test.each([
  ['github', 'unheard_of', {}, 'unheard_of'],
  ['github', '__proto__', {}, '__proto__'],
  ['github', 'check_run', { action: 'created' }, 'check_run created'],
  ['github', 'issues', { action: 'constructor' }, 'issues constructor'],
  ['gitlab', '', { object_kind: 'unheard_of' }, 'unheard_of'],
] as const)(
  '%s: nothing is said of such an event: %s %j',
  (service, event, payload, event_type) => {
    const base =
      event === 'check_run' ? named('github', 'check-run') : named('github', 'issues-opened');
    const whole = event_type.includes(' ') ? { ...(base.payload as object), ...payload } : payload;
    expect(refusalOf(() => noticeOf({ service, event, payload: whole }))).toMatchObject({
      status: 200,
      code: 'UNSUPPORTED_WEBHOOK_EVENT_TYPE',
      extra: { webhook_name: INTEGRATIONS[service].displayName, event_type },
    });
  },
);

test.each([
  ['github', 'push', ['push', 'push_commits']],
  ['github', 'push-tag', ['push', 'push_tags']],
  ['github', 'pull-request-merged', ['pull_request', 'pull_request closed', 'closed_pull_request']],
  ['gitlab', 'push', ['push', 'Push Hook']],
  [
    'gitlab',
    'issue-closed-confidential',
    ['issue', 'Confidential Issue Hook', 'Confidential Issue Hook close', 'issue close'],
  ],
  [
    'gitlab',
    'note-commit',
    ['note', 'Note Hook', 'Note Hook create', 'Note Hook Commit', 'note create', 'note Commit'],
  ],
])('%s: %s can be filtered by %j', (service, name, names) => {
  expect(noticeOf(named(service, name)).names).toEqual(expect.arrayContaining([...names]));
  expect(noticeOf(named(service, name)).names).toHaveLength(names.length);
});

test('a filter takes names, with any text for a star', () => {
  const notice = noticeOf(named('github', 'pull-request-merged'));
  const none = { only: undefined, exclude: undefined, branches: undefined };
  expect(passesFilter(notice, none)).toBe(true);
  expect(passesFilter(notice, { ...none, only: ['push', 'pull_*'] })).toBe(true);
  expect(passesFilter(notice, { ...none, only: ['push'] })).toBe(false);
  expect(passesFilter(notice, { ...none, only: [] })).toBe(false);
  expect(passesFilter(notice, { ...none, exclude: ['*closed*'] })).toBe(false);
  expect(passesFilter(notice, { ...none, only: ['*'], exclude: ['push'] })).toBe(true);
  expect(passesFilter(notice, { ...none, branches: ['release-*', 'main'] })).toBe(true);
  expect(passesFilter(notice, { ...none, branches: ['release-*'] })).toBe(false);
  expect(passesFilter(noticeOf(named('github', 'star')), { ...none, branches: ['tea'] })).toBe(
    true,
  );
});

test.each([
  ['push', 'push', true],
  ['push', 'pus', false],
  ['push', '*', true],
  ['push', 'p*h', true],
  ['push', 'pu*ush', false],
  ['aXbXc', 'a*b*c', true],
  ['aXcXb', 'a*b*c', false],
  ['push', 'push*', true],
  ['a'.repeat(100), `${'*a'.repeat(50)}b`, false],
])('%s is of %s: %s', (name, pattern, expected) => {
  expect(matches(name, pattern)).toBe(expected);
});

function refusalOf(act: () => unknown): ApiError {
  try {
    act();
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

/** Words that decide what a payload is. */
const isWord = (text: string) =>
  /^[a-z_]{1,60}$|^refs\/|^0+$|^(?:Commit|Issue|Snippet|MergeRequest)$/.test(text);

function withTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => withTexts(item, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, withTexts(item, change)]),
  );
}

/** The payload with something else for its part of this number, counted from the outside in. */
function withPart(value: unknown, at: number, other: unknown): unknown {
  let left = at;
  const walk = (part: unknown): unknown => {
    left -= 1;
    if (left < 0 && left >= -1) return other;
    if (Array.isArray(part)) return part.map(walk);
    if (typeof part !== 'object' || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([name, item]) => [name, walk(item)]));
  };
  return walk(value);
}
