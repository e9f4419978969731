import { type Field, type Kept, nameOf, type Texts, textsIn } from './handed.ts';

/** Returns the name of what has the focus in a light form. */
export function focusedIn(root: HTMLElement): string | null {
  const { activeElement: active } = document;
  return active !== null && root.contains(active) ? nameOf(active) : null;
}

/** Waits for the page to be rendered, which takes microtasks, so that no key comes between. */
async function rendered(): Promise<void> {
  for (let turn = 0; turn < 4; turn++) await Promise.resolve();
}

/** Does the same in the part. */
export async function handOver({ root: light, acts, focused }: Kept, root: HTMLElement) {
  const find = (name: string, within = root) =>
    within.querySelector<HTMLElement>(`[aria-label="${CSS.escape(name)}"]`);
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
  await put(textsIn(light));
  const typed = focused === null ? null : (find(focused, light) as Field | null);
  if (focused === null || !typed?.selectionStart) return;
  const field = find(focused) as Field | null;
  field?.setSelectionRange?.(typed.selectionStart, typed.selectionEnd);
}
