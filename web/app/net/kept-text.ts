import type { TextStore } from '../store/settings.ts';

/** Returns a text that the browser keeps under a name; one that keeps nothing forgets it. */
export const keptText = (name: string): TextStore => ({
  read: () => {
    try {
      return localStorage.getItem(name);
    } catch {
      return null;
    }
  },
  write: (text) => {
    try {
      localStorage.setItem(name, text);
    } catch {
      // The browser keeps nothing: the text holds until the page is left.
    }
  },
});
