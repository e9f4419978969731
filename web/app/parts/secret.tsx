import { copy } from '../net/clipboard.ts';
import { attempt } from './form.tsx';

/** A text that is to be copied, such as a link or a key. */
export const Secret = ({ text, what }: { readonly text: string; readonly what: string }) => (
  <p class="secret">
    <code>{text}</code>
    <button
      type="button"
      aria-label={`Copy the ${what}`}
      onClick={() => attempt(copy(text), `The ${what} is copied.`)}
    >
      Copy
    </button>
  </p>
);
