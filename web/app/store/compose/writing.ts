import { computed, effect, type ReadonlySignal, untracked } from '@preact/signals';
import { app } from '../app.ts';
import { type Conversations, conversations } from '../conversations.ts';
import { directoryOfApp } from '../feed/directory-of-app.ts';
import type { WireEvent } from '../feed/message.ts';
import { ComposeStore } from './compose-store.ts';
import type { UploadSend } from './uploads.ts';

let sendPart: UploadSend = () => Promise.reject(new Error('Nothing is connected'));

/** What is written by the account that is open. */
export const writing: ReadonlySignal<ComposeStore | null> = computed(() => {
  const open = conversations.value;
  return open === null ? null : untracked(() => made(open));
});

/** Joins what is written to the connection: drafts of other clients, and how files are sent. */
export function openWriting(send: UploadSend): void {
  sendPart = send;
  app.onEvents((events) => {
    // Events have the fields that their types say, and are looked at by name here.
    for (const event of events as unknown as readonly WireEvent[]) writing.peek()?.apply(event);
  });
  effect(() => void writing.value);
}

const made = ({ calls }: Conversations): ComposeStore =>
  new ComposeStore({
    calls,
    directory: directoryOfApp,
    drafts: [...app.read().drafts.values()],
    sendPart: (...part) => sendPart(...part),
    send: (message) => void app.sender?.send(message).sent.catch(() => undefined),
  });
