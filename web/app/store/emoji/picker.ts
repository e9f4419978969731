import type { OwnEmoji } from '../feed/directory.ts';
import { foundEmoji, type NamedEmoji } from '../feed/emoji.ts';
import type { Emoji } from '../feed/message.ts';
import { GROUPS } from './groups.ts';

/** Emoji under a heading. */
export interface Section {
  readonly name: string;
  readonly emoji: readonly Emoji[];
}

/** A page of the picker. */
export interface Tab {
  readonly name: string;
  /** The characters on its button. */
  readonly sign: string;
  readonly sections: readonly Section[];
}

/** As many as are looked through; others are found by more of their names. */
const FOUND_MAX = 90;

/** Returns the code of characters, as the API has it. */
export const codeOf = (characters: string): string =>
  Array.from(characters, (one) => (one.codePointAt(0) ?? 0).toString(16).padStart(4, '0')).join(
    '-',
  );

const ownAs = ({ id, name }: OwnEmoji): Emoji => ({
  emoji_name: name,
  emoji_code: id,
  reaction_type: 'realm_emoji',
});

interface Known {
  readonly all: readonly NamedEmoji[];
  readonly own: readonly OwnEmoji[];
  readonly recent: readonly Emoji[];
}

/**
 * Returns the pages. The first has what was used last and what the organization has, before the
 * first group of Unicode; each other group has one of its own.
 */
export function tabsOf({ all, own, recent }: Known): readonly Tab[] {
  const byCode = new Map(all.map((emoji) => [emoji.emoji_code, emoji]));
  const ownIds = new Set(own.map(({ id }) => id));
  const isThere = (one: Emoji) => one.reaction_type !== 'realm_emoji' || ownIds.has(one.emoji_code);
  const yours: readonly Section[] = [
    { name: 'Used last', emoji: recent.filter(isThere) },
    { name: 'Of the organization', emoji: own.map(ownAs) },
  ];
  return GROUPS.map(([name, characters], index) => {
    const each = characters.split(' ');
    const emoji = each.flatMap((one) => byCode.get(codeOf(one)) ?? []);
    const sections = [...(index === 0 ? yours : []), { name, emoji }];
    return {
      name,
      sign: index === 0 ? '🕘' : (each[0] ?? ''),
      sections: sections.filter((section) => section.emoji.length > 0),
    };
  });
}

/** Returns the emoji with a name that has these letters: the organization's own come first. */
export function foundSections({ all, own }: Known, text: string): readonly Section[] {
  const wanted = text.trim().toLowerCase().replaceAll(' ', '_');
  const found = [
    ...own.filter(({ name }) => name.toLowerCase().includes(wanted)).map(ownAs),
    ...foundEmoji(all, wanted, FOUND_MAX),
  ].slice(0, FOUND_MAX);
  return found.length === 0 ? [] : [{ name: 'Found', emoji: found }];
}

/** The columns of the grid. */
export const COLUMNS = 9;

/** Cuts the emoji of a section into rows. */
export const rowsOf = (emoji: readonly Emoji[]): readonly (readonly Emoji[])[] =>
  Array.from({ length: Math.ceil(emoji.length / COLUMNS) }, (_, row) =>
    emoji.slice(row * COLUMNS, (row + 1) * COLUMNS),
  );

/** A key that was pressed in the grid. */
export interface GridKey {
  readonly key: string;
  readonly ctrl: boolean;
}

/**
 * Returns the index of the emoji that a key leads to, counted through all sections; -1 for the
 * field above the grid, and null for a key that leads nowhere.
 */
export function steppedInGrid(
  sections: readonly Section[],
  at: number,
  { key, ctrl }: GridKey,
): number | null {
  const rows = sections.flatMap(({ emoji }) => rowsOf(emoji).map(({ length }) => length));
  const starts: number[] = [];
  let count = 0;
  for (const length of rows) {
    starts.push(count);
    count += length;
  }
  const row = starts.findLastIndex((start) => start <= at);
  const start = starts[row] ?? 0;
  const inRow = (next: number) => (starts[next] ?? 0) + Math.min(at - start, (rows[next] ?? 1) - 1);
  switch (key) {
    case 'ArrowLeft':
      return Math.max(0, at - 1);
    case 'ArrowRight':
      return Math.min(count - 1, at + 1);
    case 'ArrowUp':
      return row <= 0 ? -1 : inRow(row - 1);
    case 'ArrowDown':
      return row >= rows.length - 1 ? at : inRow(row + 1);
    case 'Home':
      return ctrl ? 0 : start;
    case 'End':
      return ctrl ? count - 1 : start + (rows[row] ?? 1) - 1;
    default:
      return null;
  }
}
