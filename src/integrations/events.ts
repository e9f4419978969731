import type { z } from 'zod';
import { MESSAGE_LENGTH_MAX } from '../domain/limits.ts';
import * as errors from '../domain/wire/errors.ts';
import type { Integration, Notice } from './integration.ts';
import { read } from './payload.ts';
import { cut, joined, topicText } from './texts.ts';

/** What is said of one event: a sentence, and perhaps what somebody wrote. */
export interface Said {
  readonly topic: string;
  readonly parts: readonly string[];
  /** Names to filter by, besides those of the event and its action. */
  readonly names?: readonly string[];
  readonly branch?: string | undefined;
}

/** Makes of a payload what is said; undefined where nothing is said of what has happened. */
export type EventReader = (payload: unknown, webhook: string) => Said | undefined;

/** Reads what of the payload the sentence needs. */
export const reading =
  <T extends z.ZodType>(schema: T, say: (payload: z.output<T>) => Said | undefined): EventReader =>
  (payload, webhook) =>
    say(read(schema, payload, webhook));

/** What the reader of an event says, under the names of the event. */
export function noticeOf(
  { displayName }: Pick<Integration, 'displayName'>,
  {
    names,
    event,
    reader,
    payload,
    where,
  }: {
    names: readonly string[];
    /** Its name, where nothing is said of it. */
    event: string;
    reader: EventReader | undefined;
    payload: unknown;
    where: string | undefined;
  },
): Notice {
  const said = reader?.(payload, displayName);
  if (said === undefined) throw errors.unsupportedEvent(displayName, event);
  return {
    names: [...names, ...(said.names ?? [])],
    topic: topicText(said.topic),
    content: cut(joined(said.parts, '\n'), MESSAGE_LENGTH_MAX),
    branch: said.branch,
    where,
  };
}
