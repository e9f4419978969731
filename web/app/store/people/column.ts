/** The people of the right column, in parts with headings, as lines of one height. */
import type { Person, Presence } from '../shapes.ts';

export type ColumnRow =
  | {
      readonly kind: 'heading';
      readonly key: string;
      readonly title: string;
      readonly count: number;
      /** How many of them are online or away. */
      readonly here: number;
    }
  | {
      readonly kind: 'person';
      readonly key: string;
      readonly person: Person;
      readonly presence: Presence;
    };

export interface ColumnInput {
  /** Everybody, by name. */
  readonly people: readonly Person[];
  readonly presenceOf: (userId: number) => Presence;
  /** The people of the place; null where it is the organization. */
  readonly within: ReadonlySet<number> | null;
  /** The heading above the people of the place. */
  readonly title: string;
  /** The heading above the others; null if they are not shown. */
  readonly others: string | null;
}

/** Returns lines: people who are here come first, and by name. */
export function columnRows(input: ColumnInput): readonly ColumnRow[] {
  const { people, within, title, others } = input;
  // Bots are named where they belong to the place.
  const shown = people.filter(
    ({ id, isActive, isBot }) => isActive && (!isBot || within?.has(id) === true),
  );
  if (within === null) return part(input, 'all', title, shown);
  const inside = shown.filter(({ id }) => within.has(id));
  const outside = others === null ? [] : shown.filter(({ id }) => !within.has(id));
  return [
    ...part(input, 'inside', title, inside),
    ...(outside.length === 0 ? [] : part(input, 'outside', others ?? '', outside)),
  ];
}

function part(
  { presenceOf }: ColumnInput,
  key: string,
  title: string,
  people: readonly Person[],
): readonly ColumnRow[] {
  const by: Record<Presence, ColumnRow[]> = { active: [], idle: [], offline: [] };
  for (const person of people) {
    const presence = presenceOf(person.id);
    by[presence].push({ kind: 'person', key: `${key} ${person.id}`, person, presence });
  }
  const here = by.active.length + by.idle.length;
  const heading = { kind: 'heading', key, title, count: people.length, here } as const;
  return [heading, ...by.active, ...by.idle, ...by.offline];
}

/** Returns people by name; comparing so is ten times faster than by `localeCompare`. */
export const byName = (people: Iterable<Person>): readonly Person[] =>
  [...people].sort((one, other) => names.compare(one.name, other.name));

const names = new Intl.Collator();
