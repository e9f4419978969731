import { useEffect, useReducer } from 'preact/hooks';
import { app } from '../../store/app.ts';

/** The state of the connection in words, and how many messages wait. It is always in sight. */
export function ConnectionState() {
  const { state, retryAt, waiting } = app.status.value;
  const seconds = useSecondsTo(state === 'reconnecting' ? retryAt : undefined);
  const kind = state === 'live' || state === 'caught-up' ? 'good' : 'wait';
  return (
    <div class={`connection ${kind}`}>
      <p role="status">{wordsFor(state, seconds, waiting)}</p>
      {state === 'reconnecting' || state === 'offline' ? (
        <button type="button" class="quiet" onClick={() => app.chat.retryNow()}>
          Retry
        </button>
      ) : null}
    </div>
  );
}

function wordsFor(state: string, seconds: number, waiting: number): string {
  const messages = waiting === 1 ? '1 message waiting' : `${waiting} messages waiting`;
  const rest = waiting === 0 ? '' : `, ${messages}`;
  switch (state) {
    case 'live':
      return `live${rest}`;
    case 'caught-up':
      return 'caught up, nothing missed';
    case 'started-anew':
      return 'started anew';
    case 'reconnecting':
      return `${seconds > 0 ? `reconnecting in ${seconds} s` : 'reconnecting'}${rest}`;
    case 'offline':
      return `offline${rest}`;
    default:
      return `connecting${rest}`;
  }
}

const SECOND_MS = 1_000;

/** Returns the seconds until a time, and again each second. */
function useSecondsTo(atMs: number | undefined): number {
  const [, tick] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    if (atMs === undefined) return;
    const timer = setInterval(() => tick(undefined), SECOND_MS);
    return () => clearInterval(timer);
  }, [atMs]);
  return atMs === undefined ? 0 : Math.max(0, Math.ceil((atMs - Date.now()) / SECOND_MS));
}
