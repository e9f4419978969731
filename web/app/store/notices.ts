import { signal } from '@preact/signals';

/** The outcome of something, in one sentence. */
export interface Notice {
  readonly id: number;
  readonly text: string;
  readonly isFault: boolean;
}

export const notices = signal<readonly Notice[]>([]);

/** More at once nobody reads; the oldest go first. */
const NOTICES_MAX = 3;
const SHOWN_MS = 6_000;

let lastId = 0;

/** Shows a sentence; what went wrong stays until it is closed. */
export function say(text: string, { isFault = false } = {}): void {
  lastId += 1;
  const id = lastId;
  const others = notices.value.filter((one) => one.text !== text);
  notices.value = [...others, { id, text, isFault }].slice(-NOTICES_MAX);
  if (!isFault) setTimeout(() => close(id), SHOWN_MS);
}

export const close = (id: number): void => {
  notices.value = notices.value.filter((one) => one.id !== id);
};

/** Shows why something was refused. */
export const sayFault = (error: unknown): void =>
  say(error instanceof Error ? error.message : String(error), { isFault: true });
