import { attempt } from '../../parts/form.tsx';
import { useLoaded } from '../../parts/use-loaded.ts';
import { type Ahead, reminders, scheduled } from '../../store/ahead/ahead.ts';
import { nowMs } from '../../store/model.ts';
import { hrefOf } from '../../store/navigation.ts';
import { narrowRoute } from '../../store/route.ts';
import { clock, day } from '../../store/times.ts';

/** Lists messages that are sent later, and reminders; nothing where there is neither. */
export function AheadList() {
  return (
    <>
      <List title="Sent later" load={scheduled} />
      <List title="Reminders" load={reminders} />
    </>
  );
}

interface ListProps {
  readonly title: string;
  readonly load: () => Promise<readonly Ahead[]>;
}

function List({ title, load }: ListProps) {
  const { value, reload } = useLoaded(load);
  if (value === null || value.length === 0) return null;
  return (
    <section class="ahead">
      <h2>{title}</h2>
      <ul class="card-list">
        {value.map(({ key, atMs, text, narrow, hasFailed, cancel }) => (
          <li key={key} class="card-row">
            <div class="card-text">
              <a class="card-name cut" href={hrefOf(narrowRoute(narrow))}>
                {text}
              </a>
              <p class="card-about">
                {hasFailed ? 'It could not be sent · ' : ''}
                {day(atMs, nowMs.value)}, {clock(atMs)}
              </p>
            </div>
            <button
              type="button"
              class="card-act"
              aria-label={`Cancel: ${text}`}
              onClick={() => attempt(cancel().then(reload))}
            >
              Cancel
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
