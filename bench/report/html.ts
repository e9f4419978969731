/** Markup that is finished: it is put into other markup as it is. */
export interface Html {
  readonly markup: string;
}

type Part = Html | string | number | readonly Part[];

/** Markup of a template; what is put in is escaped unless it is markup itself. */
export const html = (texts: TemplateStringsArray, ...parts: readonly Part[]): Html => ({
  markup: texts.reduce(
    (whole, text, index) =>
      whole + text + (index < parts.length ? markupOf(parts[index] ?? '') : ''),
    '',
  ),
});

export const raw = (markup: string): Html => ({ markup });

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function markupOf(part: Part): string {
  if (typeof part === 'number') return String(part);
  if (typeof part === 'string') return part.replace(/[&<>"']/g, (found) => ESCAPES[found] ?? found);
  if ('markup' in part) return part.markup;
  return part.map(markupOf).join('');
}

/** JSON that may stand in a script element: nothing in it can end the element. */
export const jsonInScript = (value: unknown): Html =>
  raw(JSON.stringify(value).replaceAll('<', '\\u003c'));
