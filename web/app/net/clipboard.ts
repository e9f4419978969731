/**
 * Copies a text. Pages that came over plain HTTP from another machine have no clipboard: there the
 * browser copies what is selected in a field.
 */
export async function copy(text: string): Promise<void> {
  // The types know of secure pages only.
  const clipboard = navigator.clipboard as Clipboard | undefined;
  if (clipboard !== undefined) await clipboard.writeText(text);
  else (await import('./copy-selected.ts')).copySelected(text);
}
