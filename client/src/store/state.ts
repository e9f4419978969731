import type { Changes } from './changes/change.ts';
import { CHANNELS } from './changes/channels.ts';
import { GROUPS } from './changes/groups.ts';
import { MESSAGES } from './changes/messages.ts';
import { ORGANIZATION } from './changes/organization.ts';
import { PEOPLE } from './changes/people.ts';
import { PERSONAL } from './changes/personal.ts';
import { Contents } from './contents.ts';
import type { Section } from './sections.ts';

/** An event as it came; of kinds that are not known, there is nothing to do. */
export interface AnyEvent {
  readonly id: number;
  readonly type: string;
  readonly op?: unknown;
}

type Apply = (state: Contents, event: AnyEvent) => readonly Section[];

const BY_KIND: Changes = {
  ...PEOPLE,
  ...GROUPS,
  ...CHANNELS,
  ...MESSAGES,
  ...PERSONAL,
  ...ORGANIZATION,
};

// A kind and its event belong together, which the compiler cannot see. Unlike an object, a map has
// no names of its own.
const CHANGES = new Map(Object.entries(BY_KIND) as unknown as [string, Apply][]);

/** The kinds of events that change a state, by type, or by type and operation. */
export const APPLIED_KINDS: readonly string[] = [...CHANGES.keys()];

/**
 * Does what an event says, and returns the sections that it changed: none for an event that was
 * applied before, whose kind is not known, or that is not of the form of its kind.
 */
export function applyTo(state: Contents, event: AnyEvent): readonly Section[] {
  if (event.id <= state.lastEventId) return [];
  state.lastEventId = event.id;
  const kind = typeof event.op === 'string' ? `${event.type} ${event.op}` : event.type;
  try {
    return CHANGES.get(kind)?.(state, event) ?? [];
  } catch (error) {
    state.mismatch(undefined, `the event ${kind} cannot be applied: ${error}`);
    return [];
  }
}

/**
 * The state of an organization as a user sees it: what `POST /register` gave, and the events of its
 * queue since. It has no messages, but knows exactly which are unread.
 */
export class State extends Contents {
  /** Does what an event says, and returns the sections that it changed. */
  apply(event: AnyEvent): readonly Section[] {
    return applyTo(this, event);
  }

  /** Forgets what ends by itself, and returns the sections that it changed. */
  expire(): readonly Section[] {
    return this.typing.expire() ? ['typing'] : [];
  }
}
