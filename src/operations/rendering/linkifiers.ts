import type { LinkifierRow } from '../../../storage/tables/realm/texts.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import {
  LINKIFIERS_PER_REALM_MAX,
  TOPICS_LINKED_CACHED_MAX,
} from '../../domain/limits/markdown.ts';
import { type RecentlyUsed, recentlyUsed } from '../../domain/recently-used.ts';
import {
  compiled,
  type Linkifier,
  type Linkifiers,
  NO_LINKIFIERS,
  problemsOf,
  type TopicLink,
  topicLinks,
} from '../../domain/rules/texts/linkifiers.ts';
import * as errors from '../../domain/wire/errors.ts';
import type { LinkifierObject } from '../../domain/wire/realm-objects.ts';
import type { Reads } from '../access/groups.ts';

/** Returns all linkifiers, in the order in which they are applied. */
export const list = (tx: Reads): LinkifierObject[] =>
  inOrder(tx).map(({ id, pattern, urlTemplate }) => ({ id, pattern, url_template: urlTemplate }));

/** Adds a linkifier as the last one. */
export function add(tx: RealmTransaction, given: Linkifier): { id: number } {
  const linkifier = acceptable(tx, given);
  const all = inOrder(tx);
  if (all.length >= LINKIFIERS_PER_REALM_MAX) {
    throw errors.badRequest(`An organization has at most ${LINKIFIERS_PER_REALM_MAX} linkifiers.`);
  }
  const id = tx.nextId('linkifier');
  store(tx, [...all, { id, ...linkifier }]);
  return { id };
}

export function update(tx: RealmTransaction, id: number, given: Linkifier) {
  const all = known(tx, id);
  const linkifier = acceptable(tx, given, id);
  store(
    tx,
    all.map((row) => (row.id === id ? { id, ...linkifier } : row)),
  );
}

export function remove(tx: RealmTransaction, id: number) {
  store(
    tx,
    known(tx, id).filter((row) => row.id !== id),
  );
}

/** Reorders the linkifiers by a list that names each of them once. */
export function reorder(tx: RealmTransaction, ids: readonly number[]) {
  const all = inOrder(tx);
  const ordered = ids.map((id) => all.find((row) => row.id === id));
  const rows = ordered.filter((row) => row !== undefined);
  if (rows.length !== ids.length || new Set(ids).size !== all.length || rows.length > all.length) {
    throw errors.badRequest('The ordered list must enumerate all existing linkifiers exactly once');
  }
  store(tx, rows);
}

/**
 * Returns the compiled linkifiers. In a realm that never had any it costs the lookup of one number.
 */
export const ready = (tx: Reads): Linkifiers => current(tx).linkifiers;

/** Returns the links of a topic as in messages (specification, "Message"). */
export function linksOf(tx: Reads, topic: string): readonly TopicLink[] {
  if (topic === '') return NO_LINKS;
  const { linkifiers, links } = current(tx);
  if (linkifiers.isEmpty && !topic.includes('://')) return NO_LINKS;
  const known = links.get(topic);
  if (known !== undefined) return known;
  const found = topicLinks(topic, linkifiers);
  links.set(topic, found);
  return found;
}

const NO_LINKS: readonly TopicLink[] = [];

interface Current {
  readonly version: number;
  readonly linkifiers: Linkifiers;
  /** Links of recent topics: a list of messages has the same few again and again. */
  readonly links: RecentlyUsed<string, readonly TopicLink[]>;
}

/**
 * The state by table, of which each realm has one; an operation and the committed state have
 * versions of their own.
 */
const currentByTable = new WeakMap<object, Current>();

function current(tx: Reads): Current {
  const version = tx.sequences.get([CHANGES])?.last ?? 0;
  const known = currentByTable.get(tx.linkifiers);
  if (known?.version === version) return known;
  const linkifiers = version === 0 ? NO_LINKIFIERS : compiled(inOrder(tx));
  const fresh = {
    version,
    linkifiers,
    links: recentlyUsed<string, readonly TopicLink[]>(TOPICS_LINKED_CACHED_MAX),
  };
  currentByTable.set(tx.linkifiers, fresh);
  return fresh;
}

const CHANGES = 'linkifierChange';

const inOrder = (tx: Reads): LinkifierRow[] =>
  Array.from(tx.linkifiers.range({}), ([, row]) => row);

function known(tx: RealmTransaction, id: number): LinkifierRow[] {
  const all = inOrder(tx);
  if (!all.some((row) => row.id === id)) throw errors.badRequest('Linkifier not found.');
  return all;
}

/** Returns a linkifier as it is stored; `id` names the one that it replaces. */
function acceptable(tx: RealmTransaction, given: Linkifier, id?: number): Linkifier {
  const linkifier = { pattern: given.pattern.trim(), urlTemplate: given.urlTemplate.trim() };
  const isTaken = inOrder(tx).some((row) => row.pattern === linkifier.pattern && row.id !== id);
  const problems = isTaken ? TAKEN : problemsOf(linkifier);
  if (problems !== null) throw errors.invalidLinkifier({ ...problems });
  return linkifier;
}

const TAKEN = { __all__: ['A linkifier with this pattern already exists.'] };

/** Writes the whole list, which is short, and announces it to clients that know this form. */
function store(tx: RealmTransaction, rows: readonly LinkifierRow[]) {
  const before = inOrder(tx);
  if (JSON.stringify(before) === JSON.stringify(rows)) return;
  for (const key of [...tx.linkifiers.keys({})]) tx.linkifiers.remove(key);
  for (const [place, row] of rows.entries()) tx.linkifiers.put([place + 1], row);
  tx.nextId(CHANGES);
  tx.emit({
    event: { type: 'realm_linkifiers', realm_linkifiers: list(tx) },
    audience: { everyone: true },
    queues: { has: 'linkifier_url_template' },
  });
}
