import { useEffect, useState } from 'preact/hooks';
import { Loading } from './table.tsx';

type Component = () => preact.JSX.Element;

/** Makes a component of one that is loaded when it is first looked at. */
export function later(load: () => Promise<Component>): Component {
  let loaded: Component | null = null;
  return function Later() {
    const [Shown, show] = useState<Component | null>(() => loaded);
    const [fault, setFault] = useState<string | null>(null);
    useEffect(() => {
      if (Shown !== null) return;
      load().then(
        (component) => {
          loaded = component;
          show(() => component);
        },
        () => setFault('This part of the page was not loaded: load the page again'),
      );
    }, [Shown]);
    return Shown === null ? <Loading fault={fault} /> : <Shown />;
  };
}
