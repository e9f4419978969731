import type { UserRow } from '../../storage/tables/people/users.ts';
import type { RealmTransaction } from '../../storage/transaction.ts';
import type { Site } from '../operations/access/caller.ts';
import * as messages from '../operations/posting/messages.ts';

/** Messages that are there before anybody logs in; `by` is a name in `demo.ts`. */
const TALK = [
  {
    by: 'ona',
    topic: 'first steps',
    content:
      'Welcome! This is a realm to look around in. Everything that you do here is real: ' +
      'write an answer, **edit** it, add a reaction, move it to another topic.',
  },
  {
    by: 'mia',
    topic: 'first steps',
    content:
      'Open a second window, log in as somebody else, and write to yourself. ' +
      'Press `?` for the keys, and `Ctrl-K` to go anywhere.',
  },
  {
    by: 'max',
    topic: 'first steps',
    content:
      'Then kill the server while you write. It comes back with everything, and what you sent ' +
      'arrives once. :tada:',
  },
  {
    by: 'ada',
    topic: 'what messages can say',
    content:
      '- **bold**, *italic*, `code`, ~~gone~~, :octopus:\n' +
      '- names like @_**Mel Member** and channels like #**random**\n' +
      '- formulas such as $$e^{i\\pi} + 1 = 0$$',
  },
  {
    by: 'ada',
    topic: 'what messages can say',
    content:
      '```python\ndef total(rows):\n    return sum(row.price for row in rows)\n```\n\n' +
      '| what | how |\n| --- | --- |\n| a table | like this one |\n| a quote | a line with `>` |',
  },
] as const;

/** Posts the talk in a channel of the demo realm. */
export function talk(
  tx: RealmTransaction,
  site: Site,
  { channelId, people }: { channelId: number; people: ReadonlyMap<string, UserRow> },
) {
  const channel = tx.channels.get([channelId]);
  if (channel === undefined) throw new Error('the demo realm needs a channel');
  for (const { by, topic, content } of TALK) {
    const user = people.get(by);
    if (user === undefined) throw new Error(`the demo realm needs ${by}`);
    const message = { destination: { channel, topic }, content, isReadBySender: true };
    messages.send(tx, { user, site, client: 'confab' }, { ...message, repeatKeys: [] });
  }
}
