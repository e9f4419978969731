import { useSignal } from '@preact/signals';
import { attempt } from '../../parts/form.tsx';
import {
  cancelReminder,
  cancelScheduled,
  reminders,
  type Scheduled,
  scheduled,
  sendScheduledNow,
} from '../../store/ahead/ahead.ts';
import { app } from '../../store/app.ts';
import { nowMs } from '../../store/model.ts';
import { hrefOf } from '../../store/navigation.ts';
import { narrowRoute, placeOf } from '../../store/route.ts';
import { clock, day } from '../../store/times.ts';
import '../../parts/pages/kept-style.ts';
import { PlaceLabel } from '../place-label.tsx';
import { EditScheduled } from './edit-scheduled.tsx';

/** Lists messages that are sent later, and reminders; nothing where there is neither. */
export const AheadList = () => (
  <>
    <Messages />
    <Reminders />
  </>
);

/** As much of a text as one listens to. */
const NAME_LENGTH_MAX = 60;

const nameOf = (text: string) => text.slice(0, NAME_LENGTH_MAX);

const timeOf = (atMs: number) => `${dayAhead(atMs, nowMs.value)}, ${clock(atMs)}`;

const DAY_MS = 86_400_000;

/** Days to come are told as those that were, and tomorrow by its name. */
const dayAhead = (atMs: number, now: number) =>
  day(atMs, now + DAY_MS) === 'Today' && day(atMs, now) !== 'Today' ? 'Tomorrow' : day(atMs, now);

function Messages() {
  const edited = useSignal<number | null>(null);
  const all = scheduled(app.read('scheduled', 'own'));
  const shown = all.find(({ id }) => id === edited.value);
  if (all.length === 0) return null;
  return (
    <section class="ahead">
      <h2>Sent later</h2>
      <ul class="card-list">
        {all.map((message) => (
          <Message
            key={message.id}
            message={message}
            onEdit={() => {
              edited.value = message.id;
            }}
          />
        ))}
      </ul>
      {shown === undefined ? null : (
        <EditScheduled
          key={shown.id}
          message={shown}
          onClose={() => {
            edited.value = null;
          }}
        />
      )}
    </section>
  );
}

interface MessageProps {
  readonly message: Scheduled;
  readonly onEdit: () => void;
}

function Message({ message, onEdit }: MessageProps) {
  const { id, atMs, text, narrow, failure } = message;
  const place = placeOf(narrow);
  const name = nameOf(text);
  return (
    <li class={failure === null ? 'card-row' : 'card-row failed'}>
      <div class="card-text">
        <a class="card-name cut" href={hrefOf(narrowRoute(narrow))}>
          {text}
        </a>
        <p class="card-about ahead-place">
          {place === null || place.kind === 'channel' ? null : <PlaceLabel place={place} />}
          <span>{failure === null ? timeOf(atMs) : `It was to go: ${timeOf(atMs)}`}</span>
        </p>
        {failure === null ? null : <p class="card-fault">It was not sent: {failure}</p>}
      </div>
      <button type="button" aria-label={`Change: ${name}`} onClick={onEdit}>
        Change
      </button>
      <button
        type="button"
        aria-label={`Send now: ${name}`}
        onClick={() => attempt(sendScheduledNow(id), 'It is on its way.')}
      >
        Send now
      </button>
      <button
        type="button"
        class="card-act"
        aria-label={`Cancel: ${name}`}
        onClick={() => attempt(cancelScheduled(id), 'It is not sent.')}
      >
        Cancel
      </button>
    </li>
  );
}

function Reminders() {
  const all = reminders(app.read('reminders'));
  if (all.length === 0) return null;
  return (
    <section class="ahead">
      <h2>Reminders</h2>
      <ul class="card-list">
        {all.map(({ id, atMs, text, narrow }) => (
          <li key={id} class="card-row">
            <div class="card-text">
              <a class="card-name cut" href={hrefOf(narrowRoute(narrow))}>
                {text}
              </a>
              <p class="card-about">{timeOf(atMs)}</p>
            </div>
            <button
              type="button"
              class="card-act"
              aria-label={`Delete the reminder: ${nameOf(text)}`}
              onClick={() => attempt(cancelReminder(id), 'You are not reminded of it.')}
            >
              Delete
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
