import type { ComponentType } from 'preact';
import { useLayoutEffect, useReducer } from 'preact/hooks';
import { firstShown } from './first-shown.ts';
import { part } from './lazy.tsx';

type Field = HTMLInputElement | HTMLTextAreaElement;

/** What stands in the fields, by their names. */
type Texts = ReadonlyMap<string, string>;

/** Something that was done in the light form: a button, or a key that the form took for itself. */
interface Act {
  readonly name: string;
  readonly key: KeyboardEvent | null;
  readonly texts: Texts;
}

/** All that was done in the light form. */
interface Kept {
  readonly acts: readonly Act[];
  readonly texts: Texts;
  readonly focused: string | null;
  readonly selection: readonly [start: number, end: number] | null;
}

/**
 * Shows a light form of a part until the part is loaded, after the first view. What was typed and
 * pressed in the light form is done in the part, which has the same names of fields and buttons:
 * the focus and the cursor stay where they are, and no key is lost.
 */
export function light<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  { form: Form, selector }: { readonly form: ComponentType<Props>; readonly selector: string },
): ComponentType<Props> {
  const own = part(() => firstShown.then(load));
  return function Light(props: Props) {
    const [, render] = useReducer((count: number) => count + 1, 0);
    useLayoutEffect(() => {
      const root = document.querySelector<HTMLElement>(selector);
      if (own.component !== null || root === null) return;
      const watch = watched(root);
      let isLeft = false;
      const load = async () => {
        await own.load();
        await watch.whenComposed();
        if (isLeft) return;
        if (own.component === null) {
          setTimeout(load, AGAIN_MS);
          return;
        }
        const kept = keptIn(root, watch.acts);
        render(undefined);
        await rendered();
        const real = document.querySelector<HTMLElement>(selector);
        if (real !== null) await handOver(kept, real);
      };
      void load();
      return () => {
        isLeft = true;
      };
    }, []);
    const { component: Loaded } = own;
    return Loaded === null ? <Form {...props} /> : <Loaded {...props} />;
  };
}

/** A part that could not be loaded is asked for again after this. */
const AGAIN_MS = 5_000;

const FIELDS = 'input[aria-label], textarea[aria-label]';

const nameOf = (element: Element | null): string => element?.getAttribute('aria-label') ?? '';

const textsIn = (root: HTMLElement): Texts =>
  new Map(
    [...root.querySelectorAll<Field>(FIELDS)]
      .filter(({ value, defaultValue }) => value !== defaultValue)
      .map((field) => [nameOf(field), field.value]),
  );

/** Notes what is done in a light form. */
function watched(root: HTMLElement) {
  const acts: Act[] = [];
  let isComposing = false;
  let composed = () => undefined as void;
  const note = (name: string, key: KeyboardEvent | null) => {
    acts.push({ name, key, texts: textsIn(root) });
  };
  root.addEventListener('submit', (event) => event.preventDefault());
  root.addEventListener('click', ({ target }) => {
    const button = (target as Element).closest('button');
    if (button !== null) note(nameOf(button), null);
  });
  root.addEventListener('keydown', (event) => {
    if (!event.defaultPrevented) return;
    note(nameOf(event.target as Element), event);
    // The text is on its way; what follows is another one.
    if (event.target instanceof HTMLTextAreaElement) event.target.value = '';
  });
  root.addEventListener('compositionstart', () => {
    isComposing = true;
  });
  root.addEventListener('compositionend', () => {
    isComposing = false;
    // The text is in the field after the event.
    setTimeout(composed, 0);
  });
  return {
    acts,
    /** Resolves when no character is half written: a field that is taken away would lose it. */
    whenComposed: () =>
      new Promise<void>((resolve) => {
        composed = resolve;
        if (!isComposing) resolve();
      }),
  };
}

function keptIn(root: HTMLElement, acts: readonly Act[]): Kept {
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
async function rendered(): Promise<void> {
  for (let turn = 0; turn < 4; turn++) await Promise.resolve();
}

async function handOver({ acts, texts, focused, selection }: Kept, root: HTMLElement) {
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
