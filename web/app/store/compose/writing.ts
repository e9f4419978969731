import { computed, effect, type ReadonlySignal, untracked } from '@preact/signals';
import { app } from '../app.ts';
import { type Conversations, conversations } from '../conversations.ts';
import { directoryOfApp } from '../feed/directory-of-app.ts';
import type { WireEvent } from '../feed/message.ts';
import { ComposeStore } from './compose-store.ts';
import type { FileKeep } from './kept-files.ts';
import type { UploadSend } from './uploads.ts';

/** How files are sent, and what keeps those of an account across a reload. */
export interface FileParts {
  readonly send: UploadSend;
  readonly keepOf: (account: string) => Promise<FileKeep | null>;
}

let files: FileParts = {
  send: () => Promise.reject(new Error('Nothing is connected')),
  keepOf: async () => null,
};

/** The texts of the account that is open. */
export const writing: ReadonlySignal<ComposeStore | null> = computed(() => {
  const open = conversations.value;
  return open === null ? null : untracked(() => made(open));
});

/** Joins what is written to the connection: drafts of other clients, and how files are sent. */
export function openWriting(parts: FileParts): void {
  files = parts;
  app.onEvents((events) => {
    // Events have the fields that their types say, and are looked at by name here.
    for (const event of events as unknown as readonly WireEvent[]) writing.peek()?.apply(event);
  });
  effect(() => void writing.value);
}

function made({ calls }: Conversations): ComposeStore {
  const account = app.read().ownId;
  return new ComposeStore({
    calls,
    directory: directoryOfApp,
    drafts: [...app.read().drafts.values()],
    sendPart: (...part) => files.send(...part),
    keepFiles: () => files.keepOf(String(account)),
    send: (message) => void app.sender?.send(message).sent.catch(() => undefined),
  });
}
