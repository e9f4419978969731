import { type IrcMessage, readIrcMessages } from '../fixtures/irc.ts';

/** A message of the corpus: who wrote it, and on which day. */
export type Line = Pick<IrcMessage, 'date' | 'nick' | 'text'>;

/** Reads the messages of a file, or makes some where there is none. */
export const corpusOf = async (
  path: string | undefined,
  count: number,
): Promise<readonly Line[]> =>
  path === undefined ? madeLines(count) : await readIrcMessages(path, count);

const WORDS =
  'the server keeps every message that was sent and a reader sees each of them once when it comes back so we look at what a commit costs before we say that it is fast and nobody waits for long'.split(
    ' ',
  );

/** Forms of messages, each with how often it is written among a hundred. */
const FORMS: readonly (readonly [often: number, form: (dice: Dice) => string])[] = [
  [52, (dice) => sentence(dice, 3 + dice.below(14))],
  [12, (dice) => sentence(dice, 20 + dice.below(60))],
  [8, (dice) => `@**Person ${1 + dice.below(900)}** ${sentence(dice, 8)}`],
  [7, (dice) => `${sentence(dice, 5)} https://example.com/${word(dice)}/${dice.below(9_999)}`],
  [6, (dice) => `${sentence(dice, 4)} :${dice.of(['tada', 'smile', 'heart', 'eyes', '+1'])}:`],
  [
    5,
    (dice) =>
      `\`\`\`python\n${lines(dice, (at) => `row_${at} = total(${dice.below(99)})`)}\n\`\`\``,
  ],
  [4, (dice) => lines(dice, () => `- ${sentence(dice, 5)}`)],
  [3, (dice) => `> ${sentence(dice, 12)}\n\n${sentence(dice, 6)}`],
  [
    2,
    (dice) =>
      `| what | before | after |\n| - | -: | -: |\n${lines(dice, (at) => `| p${at} | ${dice.below(90)} ms | ${dice.below(9)} ms |`)}`,
  ],
  [1, (dice) => Array.from({ length: 6 }, () => sentence(dice, 60)).join('\n\n')],
];

const LINES_A_DAY = 600;
const WRITERS = 900;
const DAY_MS = 86_400_000;

/** Makes lines by a seed, so that each run has the same: lengths, code, links, lists, names. */
export function madeLines(count: number, seed = 1): readonly Line[] {
  const dice = diceOf(seed);
  const all = FORMS.flatMap(([often, form]) => Array.from({ length: often }, () => form));
  return Array.from({ length: count }, (_, index) => ({
    date: new Date(Math.floor(index / LINES_A_DAY) * DAY_MS).toISOString().slice(0, 10),
    // Few write much, and many a little.
    nick: `Person ${1 + Math.floor(WRITERS * (dice.below(1_000) / 1_000) ** 2)}`,
    text: dice.of(all)(dice),
  }));
}

interface Dice {
  below(limit: number): number;
  of<Item>(items: readonly Item[]): Item;
}

function diceOf(seed: number): Dice {
  let state = seed >>> 0;
  const below = (limit: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
  return {
    below,
    of<Item>(items: readonly Item[]) {
      const item = items[below(items.length)];
      if (item === undefined) throw new Error('there is nothing to choose from');
      return item;
    },
  };
}

const word = (dice: Dice) => dice.of(WORDS);

const sentence = (dice: Dice, length: number) => Array.from({ length }, () => word(dice)).join(' ');

const lines = (dice: Dice, line: (at: number) => string) =>
  Array.from({ length: 3 + dice.below(8) }, (_, at) => line(at)).join('\n');
