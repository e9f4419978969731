import { signal } from '@preact/signals';

/** What became of the last act, in one sentence. */
export interface Notice {
  readonly text: string;
  readonly isFault: boolean;
}

export const notice = signal<Notice | null>(null);

/** Does something and says what became of it. Resolves to undefined if it failed. */
export async function told<Value>(
  done: string | ((value: Value) => string),
  doing: Promise<Value>,
): Promise<Value | undefined> {
  try {
    const value = await doing;
    notice.value = { text: typeof done === 'string' ? done : done(value), isFault: false };
    return value;
  } catch (error) {
    notice.value = { text: error instanceof Error ? error.message : String(error), isFault: true };
    return undefined;
  }
}
