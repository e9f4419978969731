import { signal } from '@preact/signals';

/**
 * True once the first messages are shown. What is beside them waits for it, so that they are not
 * kept waiting by anything.
 */
export const isFirstShown = signal(false);
