import { attempt } from '../../parts/form.tsx';
import { useLoaded } from '../../parts/use-loaded.ts';
import {
  endOtherSessions,
  endSession,
  type Session,
  sessions,
} from '../../store/account/account.ts';
import { nowMs } from '../../store/model.ts';
import { say } from '../../store/notices.ts';
import { shortTime } from '../../store/times.ts';
import { leave } from '../leaving.ts';

/** The browsers in which the account is logged in. */
export function Browsers() {
  const { value, reload } = useLoaded(sessions);
  const end = ({ id, is_current: isOwn }: Session) => {
    if (isOwn) void leave();
    else attempt(endSession(id).then(reload));
  };
  const endOthers = async () => {
    await endOtherSessions();
    await reload();
    say('All other browsers are logged out.');
  };
  return (
    <fieldset>
      <legend>Where you are logged in</legend>
      <ul class="browsers">
        {value?.map((session) => (
          <li key={session.id}>
            <span class="cut">
              {session.client === '' ? 'A browser' : session.client}
              <small>
                {session.is_current
                  ? ' · this one'
                  : ` · used ${shortTime(session.last_used_at * 1_000, nowMs.value)}`}
              </small>
            </span>
            <button type="button" onClick={() => end(session)}>
              Log out
            </button>
          </li>
        ))}
      </ul>
      {(value?.length ?? 0) > 1 ? (
        <button type="button" class="grave" onClick={() => attempt(endOthers())}>
          Log all others out
        </button>
      ) : null}
    </fieldset>
  );
}
