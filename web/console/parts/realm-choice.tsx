import type { RealmView } from '../../../src/console/wire.ts';
import { usePolled } from '../store/ask.ts';
import { route } from '../store/route.ts';

const POLL_MS = 10_000;

/** Returns the realm that the address names, or the first one, of those whose stores are open. */
export function useRealm() {
  const realms = usePolled<readonly RealmView[]>('realms', POLL_MS).asked.value ?? [];
  const names = realms
    .filter(({ state }) => state === 'active' || state === 'deactivated')
    .map(({ realm }) => realm);
  return { names, realm: names.find((name) => name === route.value.rest) ?? names[0] };
}

interface ChoiceProps {
  readonly names: readonly string[];
  readonly realm: string | undefined;
}

/** Chooses the realm of a view, by the address. */
export function RealmChoice({ names, realm }: ChoiceProps) {
  return (
    <label>
      Realm{' '}
      <select
        value={realm}
        onChange={({ currentTarget }) => {
          location.hash = `${route.value.view}/${encodeURIComponent(currentTarget.value)}`;
        }}
      >
        {names.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </label>
  );
}
