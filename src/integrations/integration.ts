import { MESSAGE_LENGTH_MAX } from '../domain/limits/messages.ts';
import { cut } from './texts.ts';

/** An event of a service, as a message. */
export interface Notice {
  /** Names by which the event can be filtered: the service's own name for it first. */
  readonly names: readonly string[];
  readonly topic: string;
  /** Markdown, not longer than a message. */
  readonly content: string;
  /** A link to the repository or project, which the topic names. */
  readonly where?: string | undefined;
  /** The branch that it concerns, if branches can be chosen. */
  readonly branch?: string | undefined;
}

/** Makes messages of the payloads of one service. */
export interface Integration {
  readonly displayName: string;
  /** The header that names the event, if the payload does not. */
  readonly eventHeader?: string;
  /**
   * Names by which events can be filtered, for forms that build URLs; null if there is only one
   * kind.
   */
  readonly eventTypes: readonly string[] | null;
  /** True if its events concern branches, which can be chosen. */
  readonly hasBranches?: boolean;
  /** True if it signs its requests. */
  readonly isSigned?: boolean;
  /** Makes the message. Refuses an invalid payload, and an event that is not reported. */
  notice(payload: unknown, event: string): Notice;
}

export interface EventFilter {
  readonly only: readonly string[] | undefined;
  readonly exclude: readonly string[] | undefined;
  readonly branches: readonly string[] | undefined;
}

/**
 * Returns the message for a topic other than the event's own: then it names its repository or
 * project itself.
 */
export function contentByItself({ content, where }: Notice): string {
  if (where === undefined || content.includes(where)) return content;
  return cut(`${where}: ${content}`, MESSAGE_LENGTH_MAX);
}

/** Tests whether an event passes the filter in the URL. */
export function passesFilter({ names, branch }: Notice, { only, exclude, branches }: EventFilter) {
  const isNamed = (patterns: readonly string[]) =>
    patterns.some((pattern) => names.some((name) => matches(name, pattern)));
  if (only !== undefined && !isNamed(only)) return false;
  if (exclude !== undefined && isNamed(exclude)) return false;
  if (branches === undefined || branch === undefined) return true;
  return branches.some((pattern) => matches(branch, pattern));
}

/**
 * Tests a name against a pattern in which `*` stands for any text. Each piece is searched once, as
 * far to the left as possible.
 */
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
