import { MESSAGE_LENGTH_MAX } from '../domain/limits.ts';
import { cut } from './texts.ts';

/** What a service tells of one event, as a message. */
export interface Notice {
  /** By any of these the event can be filtered: the service's own name for it first. */
  readonly names: readonly string[];
  readonly topic: string;
  /** Markdown, no longer than a message. */
  readonly content: string;
  /** A link to the repository or project, which the topic names. */
  readonly where?: string | undefined;
  /** The branch that it is about, where branches can be chosen. */
  readonly branch?: string | undefined;
}

/** How messages are made of what one service posts. */
export interface Integration {
  readonly displayName: string;
  /** The header by which the service says what has happened, where the payload does not. */
  readonly eventHeader?: string;
  /** Names by which events can be filtered, for forms that make URLs; null where there is one kind. */
  readonly eventTypes: readonly string[] | null;
  /** Whether what it tells of is on branches, which can be chosen. */
  readonly hasBranches?: boolean;
  /** Whether it signs what it posts. */
  readonly isSigned?: boolean;
  /** Refuses what is no payload of the service, and what nothing is said of. */
  notice(payload: unknown, event: string): Notice;
}

export interface EventFilter {
  readonly only: readonly string[] | undefined;
  readonly exclude: readonly string[] | undefined;
  readonly branches: readonly string[] | undefined;
}

/** The message where its topic is not that of the event: it says for itself what it is about. */
export function contentByItself({ content, where }: Notice): string {
  if (where === undefined || content.includes(where)) return content;
  return cut(`${where}: ${content}`, MESSAGE_LENGTH_MAX);
}

/** Whether whoever made the URL wants to hear of it. */
export function isWanted({ names, branch }: Notice, { only, exclude, branches }: EventFilter) {
  const isNamed = (patterns: readonly string[]) =>
    patterns.some((pattern) => names.some((name) => matches(name, pattern)));
  if (only !== undefined && !isNamed(only)) return false;
  if (exclude !== undefined && isNamed(exclude)) return false;
  if (branches === undefined || branch === undefined) return true;
  return branches.some((pattern) => matches(branch, pattern));
}

/** `*` stands for any text. Each piece is looked for once, as far to the left as it can be. */
export function matches(name: string, pattern: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return name === pattern;
  if (!name.startsWith(first)) return false;
  let at = first.length;
  for (const piece of rest) {
    const found = name.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return name.length - last.length >= at && name.endsWith(last);
}
