/** Copies a text by a field in which it is selected. Throws if the browser refuses. */
export function copySelected(text: string): void {
  const before = document.activeElement;
  // Nothing outside of an open dialog takes the focus.
  const around = before?.closest('dialog') ?? document.body;
  const field = document.createElement('textarea');
  field.value = text;
  field.readOnly = true;
  field.className = 'unseen';
  around.append(field);
  field.select();
  const isCopied = document.execCommand('copy');
  field.remove();
  if (before instanceof HTMLElement) before.focus();
  if (!isCopied) throw new Error('The browser does not let the page copy');
}
