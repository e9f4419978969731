import { type Act, type Field, type Kept, nameOf, type Texts, textsIn } from './kept.ts';

/** Returns what was done in a light form. */
export function keptIn(root: HTMLElement, acts: readonly Act[]): Kept {
  const { activeElement: active } = document;
  const isField = active instanceof HTMLInputElement || active instanceof HTMLTextAreaElement;
  return {
    acts,
    texts: textsIn(root),
    focused: active !== null && root.contains(active) ? nameOf(active) : null,
    selection: isField ? [active.selectionStart ?? 0, active.selectionEnd ?? 0] : null,
  };
}

/** What changes is rendered in a microtask, so that no key comes between. */
export async function rendered(): Promise<void> {
  for (let turn = 0; turn < 4; turn++) await Promise.resolve();
}

/** Does the same in the part. */
export async function handOver({ acts, texts, focused, selection }: Kept, root: HTMLElement) {
  const find = (name: string) =>
    root.querySelector<HTMLElement>(`[aria-label="${CSS.escape(name)}"]`);
  const put = async (some: Texts) => {
    for (const [name, text] of some) {
      const field = find(name) as Field | null;
      if (field === null) continue;
      field.value = text;
      field.dispatchEvent(new Event('input', { bubbles: true }));
    }
    await rendered();
  };
  if (focused !== null) find(focused)?.focus();
  for (const act of acts) {
    await put(act.texts);
    const { key, ctrlKey = false, metaKey = false } = act.key ?? {};
    const target = find(act.name);
    if (key === undefined) target?.click();
    else {
      const again = { key, ctrlKey, metaKey, bubbles: true, cancelable: true };
      target?.dispatchEvent(new KeyboardEvent('keydown', again));
    }
    await rendered();
  }
  await put(texts);
  const field = focused === null ? null : (find(focused) as Field | null);
  if (selection !== null) field?.setSelectionRange?.(...selection);
}
