import { signal } from '@preact/signals';
import type { Message } from './feed/message.ts';
import type { Picture } from './messages/pictures.ts';
import type { Place } from './route.ts';

/** A dialog or menu over the page, whose view is loaded when it is first opened. */
export type Panel =
  /** All that can be done to a channel, a topic, or a direct conversation. */
  | {
      readonly about: 'place';
      readonly place: Place;
      /** The button beside which it opens; the one of the header by default. */
      readonly anchorId?: string;
    }
  | { readonly about: 'topic'; readonly act: 'move' | 'delete'; readonly place: TopicPlace }
  | { readonly about: 'channel'; readonly channelId: number }
  | { readonly about: 'person'; readonly userId: number }
  | { readonly about: 'group'; readonly groupId: number }
  | {
      readonly about: 'when';
      readonly title: string;
      /** Takes the time that is chosen; rejects with the refusal. */
      readonly take: (atMs: number) => Promise<unknown>;
    }
  | { readonly about: 'emoji'; readonly take: (name: string) => void }
  | {
      readonly about: 'message';
      readonly act: 'versions' | 'readers' | 'report' | 'forward';
      readonly message: Message;
    }
  | { readonly about: 'picture'; readonly picture: Pick<Picture, 'messageId' | 'href'> }
  | { readonly about: 'writing'; readonly act: 'poll' | 'todo' | 'snippets' }
  | { readonly about: 'new-channel' | 'folders' | 'invite' | 'status' };

export type TopicPlace = Extract<Place, { kind: 'topic' }>;

export const panel = signal<Panel | null>(null);

export const openPanel = (next: Panel): void => {
  panel.value = next;
};

export const closePanel = (): void => {
  panel.value = null;
};

/** The button of the menu of a place, beside which it opens. */
export const PLACE_BUTTON = 'place-menu';
