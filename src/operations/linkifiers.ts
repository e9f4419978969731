import { TOPICS_LINKED_CACHED_MAX } from '../domain/limits.ts';
import {
  compiled,
  type Linkifiers,
  NO_LINKIFIERS,
  type TopicLink,
  topicLinks,
} from '../domain/linkifiers.ts';
import type { Reads } from './groups.ts';

/** Where the first linkifier is; the others follow. */
export const FIRST_PLACE = 1;

/** Those of the realm, in the order they are applied in, ready to run. */
export function ready(tx: Reads): Linkifiers {
  // Every message asks, and most realms have none: one look-up tells so, a walk takes ten times as long.
  if (!tx.linkifiers.has([FIRST_PLACE])) return NO_LINKIFIERS;
  return compiled(Array.from(tx.linkifiers.range({}), ([, row]) => row));
}

/** The links of topics of late, as a list of messages has few topics. */
const knownLinks = new WeakMap<Linkifiers, Map<string, readonly TopicLink[]>>();

/** The links of a topic as messages give them (specification, "Message"). */
export function linksOf(tx: Reads, topic: string): readonly TopicLink[] {
  const linkifiers = ready(tx);
  const known = knownLinks.get(linkifiers) ?? new Map<string, readonly TopicLink[]>();
  knownLinks.set(linkifiers, known);
  const before = known.get(topic);
  if (before !== undefined) return before;
  if (known.size >= TOPICS_LINKED_CACHED_MAX) known.clear();
  const links = topicLinks(topic, linkifiers);
  known.set(topic, links);
  return links;
}
