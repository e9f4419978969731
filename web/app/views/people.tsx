import { lazyBeside } from '../parts/lazy.tsx';
import { useMedia } from '../parts/use-media.ts';

const RightColumn = lazyBeside(async () => (await import('./right/right-column.tsx')).RightColumn);

/** As in the style: a narrower page has no right column. */
const WIDE = '(min-width: 1200px)';

/** The right column, whose content is loaded where there is room for it. */
export const People = () => (
  <aside class="right" aria-label="People">
    {useMedia(WIDE) ? <RightColumn /> : null}
  </aside>
);
