import type { Message, Submessage } from '../feed/message.ts';

/** The messages that are drawn as something else than a text. */
export type WidgetKind = 'poll' | 'todo';

/** Returns what a message is drawn as; null for most messages, which are texts. */
export function widgetOf({ submessages: [first] = [] }: Message): WidgetKind | null {
  if (first === undefined) return null;
  const { widget_type: kind } = valueIn(first);
  return kind === 'poll' || kind === 'todo' ? kind : null;
}

type Fields = Readonly<Record<string, unknown>>;

/** Returns the fields of a submessage; none if it is no JSON, which a server does not store. */
export function valueIn({ content }: Pick<Submessage, 'content'>): Fields {
  try {
    const value: unknown = JSON.parse(content);
    return fieldsIn(value);
  } catch {
    return {};
  }
}

export const fieldsIn = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {};

export const textIn = (value: unknown): string => (typeof value === 'string' ? value : '');

export const listIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Names what the author wrote, in the place of the id of who added it. */
export const CANNED = 'canned';

/** Returns the first number that a person has not used for something that they added. */
export function nextIndex(keys: Iterable<string>, userId: number): number {
  let next = 0;
  for (const key of keys) {
    const [by, index] = key.split(',');
    if (by === String(userId)) next = Math.max(next, Number(index) + 1);
  }
  return next;
}
