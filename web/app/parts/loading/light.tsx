import type { ComponentType } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { part } from '../lazy.tsx';
import { firstShown } from './first-shown.ts';
import { type Act, nameOf, textsIn } from './handed.ts';

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
    // The part is shown at once where it is loaded already, else only when all is handed over.
    const [isReady, setReady] = useState(own.component !== null);
    const handing = useRef<(() => void) | null>(null);
    useLayoutEffect(() => {
      const root = document.querySelector<HTMLElement>(selector);
      if (isReady || root === null) return;
      const watch = watched(root);
      let isLeft = false;
      const load = async () => {
        await own.load();
        const hands = await importHandOver().catch(() => null);
        await watch.whenComposed();
        if (isLeft) return;
        if (own.component === null || hands === null) {
          setTimeout(load, AGAIN_MS);
          return;
        }
        const focused = hands.focusedIn(root);
        handing.current = () => {
          const real = document.querySelector<HTMLElement>(selector);
          if (real !== null) void hands.handOver({ root, acts: watch.acts, focused }, real);
        };
        setReady(true);
      };
      void load();
      return () => {
        isLeft = true;
      };
    }, []);
    // The light form has left the document by now, and has all that was typed until then.
    useLayoutEffect(() => {
      if (isReady) handing.current?.();
      handing.current = null;
    }, [isReady]);
    const { component: Loaded } = own;
    return Loaded === null || !isReady ? <Form {...props} /> : <Loaded {...props} />;
  };
}

/** It is not needed until there is something to hand over to. */
const importHandOver = () => firstShown.then(() => import('./hand-over.ts'));

/** A part that could not be loaded is asked for again after this. */
const AGAIN_MS = 5_000;

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
