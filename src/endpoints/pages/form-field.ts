import { html, type Markup } from './markup.ts';

interface Field {
  readonly label: string;
  readonly name: string;
  readonly type: string;
  readonly complete: string;
}

/** Renders a labelled field, which has to be filled in. */
export const field = ({ label, name, type, complete }: Field, value: string, more: Markup) =>
  html`<label>${label}
<input name="${name}" type="${type}" autocomplete="${complete}" value="${value}" ${more} required>
</label>`;
