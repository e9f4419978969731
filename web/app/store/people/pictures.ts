import type { ChatEvent } from '@confab/client';

interface Pictured {
  readonly avatar_url?: string | null;
  readonly avatar_source?: 'G' | 'U';
}

/**
 * Takes the address of a picture out of an event about a person who has uploaded none. The snapshot
 * has none for them either, as the page asks for it, and shows initials; events have an address
 * for everybody, which leads to another site with a trace of the person's mail address.
 */
export function withOwnPictures(event: ChatEvent): ChatEvent {
  if (event.type !== 'realm_user') return event;
  const { op, person } = event as { readonly op?: string; readonly person?: Pictured };
  // A person who has just come has uploaded nothing yet.
  const hasNone = op === 'add' || person?.avatar_source === 'G';
  if (!hasNone || typeof person?.avatar_url !== 'string') return event;
  // The description of the API knows no such event, but the state has people without a picture.
  return { ...event, person: { ...person, avatar_url: null } } as unknown as ChatEvent;
}
