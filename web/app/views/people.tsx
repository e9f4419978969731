import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { lazy } from '../parts/lazy.tsx';

const RightColumn = lazy(async () => (await import('./right/right-column.tsx')).RightColumn);

/** As in the style: a narrower page has no right column. */
const WIDE = '(min-width: 1200px)';

/** The right column, whose content is loaded where there is room for it. */
export function People() {
  const isWide = useSignal(matchMedia(WIDE).matches);
  useEffect(() => {
    const query = matchMedia(WIDE);
    const look = () => {
      isWide.value = query.matches;
    };
    query.addEventListener('change', look);
    return () => query.removeEventListener('change', look);
  }, []);
  return (
    <aside class="right" aria-label="People">
      {isWide.value ? <RightColumn /> : null}
    </aside>
  );
}
