import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { app } from '../store/app.ts';
import { sayFault } from '../store/notices.ts';

/** Loads something when it is first shown, and again when `reload` is called; null until then. */
export function useLoaded<Value>(load: () => Promise<Value>) {
  const value = useSignal<Value | null>(null);
  const turn = useRef(0);
  const reload = async () => {
    turn.current += 1;
    const own = turn.current;
    try {
      const loaded = await load();
      // An answer that was overtaken by a later one is old.
      if (own === turn.current) value.value = loaded;
    } catch (error) {
      sayFault(error);
    }
  };
  useEffect(() => void reload(), []);
  return { value: value.value, reload };
}

/** The same, and again whenever an event of a type tells that it may be another. */
export function useLive<Value>(load: () => Promise<Value>, type: string) {
  const loaded = useLoaded(load);
  useEffect(() => {
    const again = () => void loaded.reload();
    const forget = [
      app.onEvents((events) => {
        if (events.some((event) => event.type === type)) again();
      }),
      app.onRenewed(again),
    ];
    return () => {
      for (const one of forget) one();
    };
  }, []);
  return loaded;
}
