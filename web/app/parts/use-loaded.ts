import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { sayFault } from '../store/notices.ts';

/** Loads something when it is first shown, and again when `reload` is called; null until then. */
export function useLoaded<Value>(load: () => Promise<Value>) {
  const value = useSignal<Value | null>(null);
  const reload = async () => {
    try {
      value.value = await load();
    } catch (error) {
      sayFault(error);
    }
  };
  useEffect(() => void reload(), []);
  return { value: value.value, reload };
}
