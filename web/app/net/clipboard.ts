/**
 * Copies a text. Pages that came over plain HTTP from another machine have no clipboard: there the
 * browser copies what is selected in a field.
 */
export async function copy(text: string): Promise<void> {
  // The types know of secure pages only.
  const clipboard = navigator.clipboard as Clipboard | undefined;
  if (clipboard !== undefined) await clipboard.writeText(text);
  else if (!copySelected(text)) throw new Error('The browser does not let the page copy');
}

function copySelected(text: string): boolean {
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
  return isCopied;
}
