import type { Members } from './members.ts';

interface PresentInput {
  readonly node: string;
  /** Tells whether a node is drained: it gives its copies away, and gets none. */
  readonly isDrained: (node: string) => boolean;
  /** The nodes that were ever started. */
  readonly known: readonly string[];
  readonly members: Pick<Members, 'beats' | 'heardAt' | 'reachedSince'>;
  /** So long a node may be away. */
  readonly absenceMs: number;
}

/**
 * Returns the nodes that should hold shards: those that were heard of lately. A node that hears
 * others only since a short time takes all that it knows of for present, as they may start, too.
 */
export function presentNodes(input: PresentInput): readonly string[] {
  const { node, isDrained, known, members, absenceMs } = input;
  const now = performance.now();
  const since = members.reachedSince() ?? now;
  const beats = members.beats();
  // A node of an older version says so itself.
  const drained = new Set(
    beats.flatMap((said) => (said.isDrained && said.node !== node ? said.node : [])),
  );
  const isPresent = (name: string) => {
    if (isDrained(name) || drained.has(name)) return false;
    return name === node || now - Math.max(members.heardAt(name) ?? 0, since) < absenceMs;
  };
  return [...new Set([node, ...known, ...beats.map((said) => said.node)])].filter(isPresent);
}
