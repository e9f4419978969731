import { expect, test } from 'vitest';
import {
  askedAt,
  Completion,
  replaced,
  textOf,
} from '../../../web/app/store/compose/completion.ts';
import { folded, PrefixIndex } from '../../../web/app/store/compose/prefix-index.ts';
import type { Directory } from '../../../web/app/store/feed/directory.ts';
import { emojiIn } from '../../../web/app/store/feed/emoji.ts';
import type { Channel, Person } from '../../../web/app/store/shapes.ts';
import { openRandom } from '../../support/random.ts';
import { runNumbers } from '../../support/runs.ts';

const person = (id: number, name: string, change: Partial<Person> = {}): Person => ({
  id,
  name,
  email: `user${id}@example.com`,
  avatarUrl: null,
  isBot: false,
  isActive: true,
  isGuest: false,
  ...change,
});

const channel = (id: number, name: string): Channel => ({
  id,
  name,
  description: '',
  color: '#3d52c4',
  folderId: null,
  isMuted: false,
  isPinned: false,
  isPrivate: false,
  isArchived: false,
});

const PEOPLE = [
  person(1, 'Ada Lovelace'),
  person(2, 'Mel Member'),
  person(3, 'Mel Member'),
  person(4, 'Émile Zola'),
  person(5, 'Al Gone', { isActive: false }),
  person(6, 'Alarm Bot', { isBot: true }),
];
const CHANNELS = [channel(1, 'general'), channel(2, 'General questions'), channel(3, 'design')];
const GROUPS = [{ id: 1, name: 'Alpha team', memberCount: 3 }];

const directory: Directory = {
  ownId: 1,
  person: (id) => PEOPLE.find((one) => one.id === id),
  channel: (id) => CHANNELS.find((one) => one.id === id),
  people: () => PEOPLE,
  channels: () => CHANNELS,
  groups: () => GROUPS,
  isInGroup: () => false,
  topics: (id) => (id === 1 ? ['lunch', '✔ release plan', ''] : []),
  typing: () => [],
  ownEmoji: () => [],
  setting: () => undefined,
};

const WRITING = { isNear: (id: number) => id === 3, isChannel: true };

/** Returns the choices for a text with the cursor at its end, as they would be put in. */
function offered(text: string) {
  const completion = new Completion(directory);
  completion.setEmoji(
    emojiIn({ code_to_names: { '1f642': ['smile', 'happy'], '1f680': ['rocket'] } }),
  );
  const asked = askedAt(text, text.length);
  if (asked === null) return null;
  return completion
    .find(asked, WRITING)
    .map(
      (choice) =>
        replaced(text, { from: asked.from, to: text.length, by: textOf(choice, asked.isSilent) })
          .text,
    );
}

test.each([
  ['hi @ad', ['hi @**Ada Lovelace** ']],
  ['@love', ['@**Ada Lovelace** ']],
  ['@ada l', ['@**Ada Lovelace** ']],
  ['@emile', ['@**Émile Zola** ']],
  // The one who wrote here lately is first; two of one name are told apart.
  ['@mel', ['@**Mel Member|3** ', '@**Mel Member|2** ']],
  ['@_ada', ['@_**Ada Lovelace** ']],
  ['@**ada', ['@**Ada Lovelace** ']],
  // Bots come after people, who are gone not at all, then groups, then everybody.
  ['@al', ['@**Alarm Bot** ', '@*Alpha team* ', '@**all** ']],
  ['see #gen', ['see #**general** ', 'see #**General questions** ']],
  ['#**general>', ['#**general>lunch** ', '#**general>✔ release plan** ', '#**general>** ']],
  ['#**general>rel', ['#**general>✔ release plan** ']],
  ['so :smi', ['so :smile: ']],
  ['so :happ', ['so :happy: ']],
])('%s offers %j', (text, choices) => {
  expect(offered(text)).toEqual(choices);
});

test.each([
  'a mail to ada@example.com',
  'at 10:30',
  'a : b',
  '`@ada',
  '```\n@ada',
  'x#gen',
  '@ada\n',
  '# Title',
  'done :s',
  `@${'a'.repeat(70)}`,
])('%j asks for nothing', (text) => {
  expect(askedAt(text, text.length)).toBeNull();
});

test('what is typed in the middle of a text is replaced there', () => {
  const text = 'ask @ad about it';
  const asked = askedAt(text, 7);
  expect(asked).toMatchObject({ query: 'ad', from: 4 });
  expect(replaced(text, { from: 4, to: 7, by: '@**Ada Lovelace** ' })).toEqual({
    text: 'ask @**Ada Lovelace**  about it',
    cursor: 22,
  });
});

test.each(runNumbers({ few: 20, all: 200 }))(
  'the index finds what a look at every name finds (seed %i)',
  (seed) => {
    const { below, pick } = openRandom(seed);
    const word = () =>
      Array.from({ length: 1 + below(4) }, () => pick(['a', 'B', 'é', 'ö', 'x', '1'])).join('');
    const names = Array.from({ length: below(300) }, () =>
      Array.from({ length: 1 + below(3) }, word).join(pick([' ', '-', '.'])),
    );
    const items = names.map((name, id) => ({ id, name }));
    const index = new PrefixIndex(items, ({ name }) => [name]);
    for (let step = 0; step < 40; step++) {
      const wanted = word();
      const expected = items.filter(({ name }) => {
        const text = folded(name);
        const starts = [0, ...[...text.matchAll(/[\s\-.]/g)].map(({ index: at }) => at + 1)];
        return starts.some((at) => text.slice(at).startsWith(folded(wanted)));
      });
      const found = index.find(wanted, 1_000);
      expect(found.map(({ id }) => id).sort()).toEqual(expected.map(({ id }) => id).sort());
    }
  },
);
