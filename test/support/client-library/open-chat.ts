import { type Chat, type ChatEvent, type ConnectOptions, connect } from '@confab/client';
import { onTestFinished } from 'vitest';
import WebSocket from 'ws';
import type { Person } from '../users.ts';

/** A client of the library, with what it was told. */
export interface OpenChat {
  readonly chat: Chat;
  readonly events: ChatEvent[];
  /** The states of the connection, in their order, without repetitions. */
  readonly states: string[];
  /** How often there was a snapshot. */
  snapshots(): number;
  /** The contents of the messages that it heard of, in their order. */
  contents(): string[];
}

/** Tests wait less than people. */
export const QUICK = { retryMs: 20, retryMaxMs: 200, newsMs: 50, ackMs: 20, probeMs: 50 };

export function openChat(
  at: { readonly url: string },
  person: Person,
  { timing, ...options }: Partial<ConnectOptions> = {},
): OpenChat {
  const chat = connect({
    url: at.url,
    credentials: { email: person.email, key: person.apiKey },
    WebSocket,
    timing: { ...QUICK, ...timing },
    ...options,
  });
  onTestFinished(() => chat.close());
  const events: ChatEvent[] = [];
  const states: string[] = [];
  let snapshots = 0;
  chat.on('event', (event) => events.push(event));
  chat.on('snapshot', () => {
    snapshots += 1;
  });
  chat.on('status', ({ state }) => {
    if (states.at(-1) !== state) states.push(state);
  });
  return {
    chat,
    events,
    states,
    snapshots: () => snapshots,
    contents: () =>
      events.flatMap((event) => (event.type === 'message' ? [event.message.content] : [])),
  };
}

/** Resolves when the connection is in one of these states. */
export function reaches(chat: Chat, ...states: readonly string[]): Promise<void> {
  return new Promise((resolve) => {
    if (states.includes(chat.status.state)) return resolve();
    const forget = chat.on('status', ({ state }) => {
      if (!states.includes(state)) return;
      forget();
      resolve();
    });
  });
}
