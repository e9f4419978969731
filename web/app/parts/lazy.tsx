import type { ComponentType } from 'preact';
import { useEffect, useReducer } from 'preact/hooks';
import { once } from '../net/once.ts';
import { sayFault } from '../store/notices.ts';
import { firstShown } from './loading/first-shown.ts';

/** A component that is loaded once, when it is needed first. */
export interface Part<Props> {
  /** Null until it is loaded. */
  component: ComponentType<Props> | null;
  readonly load: () => Promise<void>;
}

/** Makes a part of how it is loaded. A failure is told, and the next need is another attempt. */
export function part<Props>(load: () => Promise<ComponentType<Props>>): Part<Props> {
  const loadOnce = once(load);
  const own: Part<Props> = {
    component: null,
    load: () =>
      loadOnce().then((component) => {
        own.component = component;
      }, sayFault),
  };
  return own;
}

/**
 * Makes a component of one that is loaded when it is first shown. There is nothing until then; what
 * was loaded once is shown at once.
 */
export function lazy<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  const own = part(load);
  return function Lazy(props: Props) {
    const [, render] = useReducer((count: number) => count + 1, 0);
    useEffect(() => {
      if (own.component === null) void own.load().then(() => render(undefined));
    }, []);
    const { component: Loaded } = own;
    return Loaded === null ? null : <Loaded {...props} />;
  };
}

/** The same for what stands beside messages, or another view, and comes after these. */
export const lazyBeside = <Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> => lazy(() => firstShown.then(load));
