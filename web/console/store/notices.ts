import { signal } from '@preact/signals';

/** The outcome of the last act, in one sentence. */
export interface Notice {
  readonly text: string;
  readonly isFault: boolean;
}

export const notice = signal<Notice | null>(null);

/** An outcome is shown for so long; a fault stays until it is closed. */
const SHOWN_MS = 8_000;

let timer = 0;

export function say(text: string, isFault = false) {
  clearTimeout(timer);
  notice.value = { text, isFault };
  if (isFault) return;
  timer = window.setTimeout(() => {
    notice.value = null;
  }, SHOWN_MS);
}

/** Does something and says what became of it. Resolves to undefined if it failed. */
export async function told<Value>(
  done: string | ((value: Value) => string),
  doing: Promise<Value>,
): Promise<Value | undefined> {
  try {
    const value = await doing;
    say(typeof done === 'string' ? done : done(value));
    return value;
  } catch (error) {
    say(error instanceof Error ? error.message : String(error), true);
    return undefined;
  }
}
