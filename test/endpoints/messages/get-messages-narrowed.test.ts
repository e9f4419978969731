import { expect, test } from 'vitest';
import {
  CHANNEL,
  found,
  NAMES,
  type Name,
  OWN,
  RANGE,
  started,
  without,
} from '../../support/messages/messages-of-every-kind.ts';
import { startServer } from '../../support/start-server.ts';

const DIRECT: Name[] = ['psst', 'group', 'self'];

/** Each operator under each of its names, and what it leaves when it is negated. */
interface Case {
  readonly operator: string;
  readonly operand: unknown;
  readonly names: readonly Name[];
  readonly others?: readonly Name[];
}

// biome-ignore format: a table
const OPERATORS: readonly Case[] = [
  { operator: 'channel', operand: 'General', names: CHANNEL, others: ['psst', 'group', 'lunch', 'self'] },
  { operator: 'channel', operand: 1, names: CHANNEL },
  { operator: 'stream', operand: 'general', names: CHANNEL },
  { operator: 'channel', operand: 'aside', names: ['aside'], others: OWN },
  { operator: 'channels', operand: 'public', names: [...CHANNEL, 'lunch', 'aside'], others: DIRECT },
  { operator: 'streams', operand: 'public', names: [...CHANNEL, 'lunch', 'aside'] },
  { operator: 'channels', operand: 'web-public', names: [], others: OWN },
  { operator: 'topic', operand: 'TEA', names: ['tea'], others: without('tea') },
  { operator: 'subject', operand: 'tea', names: ['tea'] },
  { operator: 'topic', operand: '', names: ['empty'] },
  { operator: 'dm', operand: [5], names: ['psst'], others: without('psst') },
  { operator: 'dm', operand: [4, 5], names: ['psst'] },
  { operator: 'dm', operand: 'max@example.com , gus@example.com', names: ['group'] },
  { operator: 'pm-with', operand: [4], names: ['self'] },
  { operator: 'pm_with', operand: 'max@example.com', names: ['psst'] },
  { operator: 'dm-including', operand: 5, names: ['psst', 'group'], others: without('psst', 'group') },
  { operator: 'dm-including', operand: 'mel@example.com', names: DIRECT },
  { operator: 'group-pm-with', operand: 5, names: ['group'], others: without('group') },
  { operator: 'group-pm-with', operand: 'gus@example.com', names: ['group'] },
  { operator: 'sender', operand: 1, names: ['lunch', 'empty'], others: without('lunch', 'empty') },
  { operator: 'sender', operand: 'max@example.com', names: ['image', 'psst'] },
  { operator: 'is', operand: 'dm', names: DIRECT, others: without(...DIRECT) },
  { operator: 'is', operand: 'private', names: DIRECT },
  { operator: 'is', operand: 'starred', names: ['tea'], others: without('tea') },
  { operator: 'is', operand: 'mentioned', names: ['lunch'], others: without('lunch') },
  { operator: 'is', operand: 'alerted', names: [], others: OWN },
  { operator: 'is', operand: 'resolved', names: ['image'], others: without('image') },
  { operator: 'is', operand: 'followed', names: ['tea'], others: without('tea') },
  { operator: 'is', operand: 'muted', names: ['lunch'], others: without('lunch') },
  { operator: 'has', operand: 'link', names: ['image', 'file'], others: without('image', 'file') },
  { operator: 'has', operand: 'image', names: ['image'], others: without('image') },
  { operator: 'has', operand: 'attachment', names: ['file'], others: without('file') },
  { operator: 'has', operand: 'reaction', names: ['image'], others: without('image') },
  { operator: 'in', operand: 'home', names: without('lunch'), others: ['lunch'] },
  { operator: 'in', operand: 'all', names: OWN, others: [] },
  { operator: 'near', operand: 1, names: OWN, others: OWN },
  { operator: 'id', operand: 3, names: ['psst'], others: without('psst') },
  { operator: 'id', operand: '3', names: ['psst'] },
  { operator: 'with', operand: 1, names: ['tea'], others: without('tea') },
  { operator: 'with', operand: 8, names: OWN, others: OWN },
];

test('2.1: each operator, under each of its names, as an object and as a pair, and its negation', async () => {
  const { server, ids } = await started();
  const ordered = (list: readonly Name[]) => NAMES.filter((name) => list.includes(name));
  for (const { operator, operand, names, others } of OPERATORS) {
    const term = { operator, operand };
    const what = `${operator} ${JSON.stringify(operand)}`;
    const wanted = ordered(names);
    expect(await found(server, ids, { narrow: [term] }), what).toEqual(wanted);
    if (typeof operand === 'string') {
      expect(await found(server, ids, { narrow: [[operator, operand]] }), what).toEqual(wanted);
    }
    if (others === undefined) continue;
    const negated = await found(server, ids, { narrow: [{ ...term, negated: true }] });
    expect(negated, `not ${what}`).toEqual(ordered(others));
  }
});

test('2.1: is:unread and its negation', async () => {
  const { server, ids } = await started();
  const read = await found(server, ids, {
    narrow: [{ operator: 'is', operand: 'unread', negated: true }],
  });
  expect(read).toEqual(expect.arrayContaining(['tea', 'image', 'psst']));
  expect(read).not.toContain('lunch');
  const unread = await found(server, ids, { narrow: [['is', 'unread']] });
  expect([...read, ...unread].sort()).toEqual([...OWN].sort());
});

test('2.1: what cannot be searched for is a bad narrow, with its description', async () => {
  const { server } = await started();
  for (const { narrow, desc } of [
    { narrow: [['colour', 'red']], desc: 'unknown operator colour' },
    { narrow: [['is', 'red']], desc: 'unknown operand red' },
    { narrow: [['has', 'red']], desc: 'unknown operand red' },
    { narrow: [['channel', 'nowhere']], desc: 'unknown channel nowhere' },
    { narrow: [['channel', 'secret']], desc: 'unknown channel secret' },
    { narrow: [['sender', 'x@example.com']], desc: 'unknown user x@example.com' },
    { narrow: [{ operator: 'dm', operand: [99] }], desc: 'unknown user 99' },
    {
      narrow: [
        ['channel', 'general'],
        ['is', 'dm'],
      ],
      desc: 'no message is both a channel message and a direct message',
    },
    {
      narrow: [
        ['with', '1'],
        ['with', '2'],
      ],
      desc: "Duplicate 'with' operators.",
    },
  ]) {
    const { status, body } = await server.get(server.people.mel, '/messages', { ...RANGE, narrow });
    const isCombined = narrow.length > 1;
    const msg = `Invalid narrow operator${isCombined ? ' combination' : ''}: ${desc}`;
    expect([status, body]).toEqual([400, { result: 'error', code: 'BAD_NARROW', msg, desc }]);
  }
});

test('2.1: in the full history of a channel, what is asked of one’s own copy finds nothing', async () => {
  const { server, ids } = await started();
  const inAside = (operand: string, negated: boolean) =>
    found(server, ids, {
      narrow: [
        { operator: 'channel', operand: 'aside' },
        { operator: 'is', operand, negated },
      ],
    });
  for (const operand of ['resolved', 'followed']) {
    expect(await inAside(operand, true), operand).toEqual(['aside']);
  }
  for (const operand of ['unread', 'mentioned', 'alerted', 'starred', 'muted', 'dm']) {
    expect(await inAside(operand, true), operand).toEqual([]);
  }
});

test('2.1: is:mentioned finds mentions of any kind, of those alone who are mentioned', async () => {
  const server = await startServer({ channels: ['general'] });
  const { ona, mel, max } = server.people;
  const team = { name: 'team', description: '', members: [mel.id] };
  expect((await server.post(ona, '/user_groups/create', team)).status).toBe(200);
  const say = async (content: string) => {
    const message = { type: 'channel', to: 'general', topic: 'tea', content };
    return (await server.post(ona, '/messages', message)).body.id as number;
  };
  const opened = { type: 'channel', to: 'general', topic: 'tea', content: 'one takes part' };
  await server.post(mel, '/messages', opened);
  const by = {
    name: await say('@**Mel Member**'),
    group: await say('@*team*'),
    everyone: await say('@**all**'),
    participants: await say('@**topic**'),
    silently: await say('@_**Mel Member** and @_*team*'),
  };
  const mentions = async (as: typeof mel) => {
    const request = { ...RANGE, narrow: [['is', 'mentioned']] };
    const { body } = await server.get(as, '/messages', request);
    return body.messages.map(({ id }: { id: number }) => id);
  };
  expect(await mentions(mel)).toEqual([by.name, by.group, by.everyone, by.participants]);
  expect(await mentions(max)).toEqual([by.everyone]);
});
