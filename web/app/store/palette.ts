import { RECENTS_MAX } from './recents.ts';
import type { Route } from './route.ts';
import { startsAt } from './search.ts';

/** A place to go to. */
export interface Target {
  /** The same for the same place. */
  readonly key: string;
  readonly kind: 'view' | 'channel' | 'topic' | 'person';
  readonly label: string;
  /** The channel of a topic, or what is said of a channel or a person. */
  readonly hint: string;
  readonly route: Route;
  readonly unread: number;
}

export const TARGETS_MAX = 12;

/** Returns the best targets: by how well the name fits, then by how lately one was there. */
export function rank(
  targets: readonly Target[],
  query: string,
  recents: readonly string[],
): readonly Target[] {
  const wanted = query.trim().toLowerCase();
  const lately = new Map(recents.map((key, index) => [key, index]));
  const found: { target: Target; fit: number; age: number }[] = [];
  for (const target of targets) {
    const fit = wanted === '' ? 0 : fitOf(target, wanted);
    if (fit === null) continue;
    found.push({ target, fit, age: lately.get(target.key) ?? RECENTS_MAX });
  }
  return found
    .sort(
      (one, other) =>
        one.fit - other.fit ||
        one.age - other.age ||
        Number(other.target.unread > 0) - Number(one.target.unread > 0) ||
        KINDS.indexOf(one.target.kind) - KINDS.indexOf(other.target.kind) ||
        one.target.label.length - other.target.label.length,
    )
    .slice(0, TARGETS_MAX)
    .map(({ target }) => target);
}

const KINDS = ['view', 'channel', 'person', 'topic'];

/** Returns 0 for the best; null where the name does not fit. */
function fitOf({ label, hint }: Target, wanted: string): number | null {
  const name = label.toLowerCase();
  if (name === wanted) return 0;
  const start = startsAt(name, wanted);
  if (start < 2) return 1 + start;
  if (name.includes(wanted)) return 3;
  const words = wanted.split(/\s+/);
  const whole = `${name} ${hint.toLowerCase()}`;
  if (words.every((word) => startsAt(whole, word) < 2)) return 4;
  return isScattered(name, wanted) ? 5 : null;
}

/** Tests whether the letters come in their order, as `gnrl` does in `general`. */
function isScattered(name: string, wanted: string): boolean {
  let at = 0;
  for (const letter of wanted) {
    at = name.indexOf(letter, at) + 1;
    if (at === 0) return false;
  }
  return wanted.length > 1;
}
