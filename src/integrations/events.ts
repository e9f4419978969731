import type { z } from 'zod';
import { MESSAGE_LENGTH_MAX } from '../domain/limits/messages.ts';
import * as webhookErrors from '../domain/wire/webhook-errors.ts';
import type { Integration, Notice } from './integration.ts';
import { read } from './payload.ts';
import { cut, joined, topicText } from './texts.ts';

/** The message about one event: a sentence, and perhaps a text that a person wrote. */
export interface Said {
  readonly topic: string;
  readonly parts: readonly string[];
  /** Names to filter by, besides those of the event and its action. */
  readonly names?: readonly string[];
  readonly branch?: string | undefined;
}

/** Makes the message of a payload; undefined if the event is not reported. */
export type EventReader = (payload: unknown, webhook: string) => Said | undefined;

/** Makes a reader that parses only the fields which the sentence needs. */
export const reading =
  <T extends z.ZodType>(schema: T, say: (payload: z.output<T>) => Said | undefined): EventReader =>
  (payload, webhook) =>
    say(read(schema, payload, webhook));

/** Makes a notice of the reader's message, under the names of the event. */
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
    /** The name of the event, for the refusal if it is not reported. */
    event: string;
    reader: EventReader | undefined;
    payload: unknown;
    where: string | undefined;
  },
): Notice {
  const said = reader?.(payload, displayName);
  if (said === undefined) throw webhookErrors.unsupportedEvent(displayName, event);
  return {
    names: [...names, ...(said.names ?? [])],
    topic: topicText(said.topic),
    content: cut(joined(said.parts, '\n'), MESSAGE_LENGTH_MAX),
    branch: said.branch,
    where,
  };
}
