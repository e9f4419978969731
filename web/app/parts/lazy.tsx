import type { ComponentType } from 'preact';
import { useEffect, useReducer } from 'preact/hooks';
import { sayFault } from '../store/notices.ts';

/**
 * Makes a component of one that is loaded when it is first shown. There is nothing until then; what
 * was loaded once is shown at once.
 */
export function lazy<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  let Loaded: ComponentType<Props> | null = null;
  let loading: Promise<void> | null = null;
  return function Lazy(props: Props) {
    const [, render] = useReducer((count: number) => count + 1, 0);
    useEffect(() => {
      if (Loaded !== null) return;
      loading ??= load().then(
        (component) => {
          Loaded = component;
        },
        (error: unknown) => {
          // It is asked for again when it is shown again.
          loading = null;
          sayFault(error);
        },
      );
      void loading.then(() => render(undefined));
    }, []);
    return Loaded === null ? null : <Loaded {...props} />;
  };
}
