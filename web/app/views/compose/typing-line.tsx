import type { ComposeStore } from '../../store/compose/compose-store.ts';
import type { Place } from '../../store/route.ts';

const NAMES_MAX = 3;

interface TypingLineProps {
  readonly store: ComposeStore;
  readonly place: Place | null;
}

/** The people who write at the moment. Its room is always there, so that nothing moves. */
export function TypingLine({ store, place }: TypingLineProps) {
  const ids = place === null || place.kind === 'channel' ? [] : store.directory.typing(place);
  const names = ids.slice(0, NAMES_MAX).map((id) => store.directory.person(id)?.name ?? 'Somebody');
  return (
    <p class="typing" aria-live="off">
      {names.length === 0 ? '' : sentence(names, ids.length)}
    </p>
  );
}

function sentence(names: readonly string[], count: number): string {
  if (count > NAMES_MAX) return `${names.join(', ')} and others are writing`;
  const [last = ''] = names.slice(-1);
  if (names.length === 1) return `${last} is writing`;
  return `${names.slice(0, -1).join(', ')} and ${last} are writing`;
}
