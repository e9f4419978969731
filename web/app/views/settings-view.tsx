import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { askToNotify, mayNotify } from '../net/notifications.ts';
import { app } from '../store/app.ts';
import { nowMs } from '../store/model.ts';
import { sayFault } from '../store/notices.ts';
import { change, settings, THEMES, type Theme } from '../store/settings.ts';
import { shortTime } from '../store/times.ts';
import { leave } from './leaving.ts';

const THEME_NAMES: Readonly<Record<Theme, string>> = {
  system: 'As the system',
  light: 'Light',
  dark: 'Dark',
  contrast: 'High contrast',
};

/** Shows the settings of this browser, and where else the account is logged in. */
export function SettingsView() {
  const { theme, letterKeys } = settings.value;
  return (
    <div class="settings">
      <fieldset>
        <legend>Colours</legend>
        {THEMES.map((name) => (
          <label key={name} class="check">
            <input
              type="radio"
              name="theme"
              checked={theme === name}
              onChange={() => change({ theme: name })}
            />
            {THEME_NAMES[name]}
          </label>
        ))}
      </fieldset>
      <fieldset>
        <legend>Keys</legend>
        <label class="check">
          <input
            type="checkbox"
            checked={letterKeys}
            onChange={({ currentTarget }) => change({ letterKeys: currentTarget.checked })}
          />
          Single letters are keys, outside of fields
        </label>
      </fieldset>
      <Notifications />
      <Browsers />
    </div>
  );
}

function Notifications() {
  const { notifications } = settings.value;
  const permission = useSignal(mayNotify());
  return (
    <fieldset>
      <legend>Notifications</legend>
      <label class="check">
        <input
          type="checkbox"
          checked={notifications && permission.value === 'granted'}
          disabled={permission.value === 'denied'}
          onChange={({ currentTarget }) => {
            const wanted = currentTarget.checked;
            // The browser asks after a click alone.
            void askToNotify(wanted).then((answer) => {
              permission.value = answer;
              change({ notifications: wanted && answer === 'granted' });
            });
          }}
        />
        Show mentions and direct messages on the desktop
      </label>
      {permission.value === 'denied' ? (
        <p class="muted">
          This browser does not let this page notify; its own settings change that.
        </p>
      ) : null}
    </fieldset>
  );
}

interface Session {
  readonly id: string;
  readonly client: string;
  readonly last_used_at: number;
  readonly is_current: boolean;
}

/** The browsers in which the account is logged in. */
function Browsers() {
  const sessions = useSignal<readonly Session[] | null>(null);
  const load = async () => {
    try {
      const reply = await app.chat.call('GET', '/sessions');
      sessions.value = reply['sessions'] as readonly Session[];
    } catch (error) {
      sayFault(error);
    }
  };
  useEffect(() => void load(), []);
  const end = async ({ id, is_current: isOwn }: Session) => {
    if (isOwn) return leave();
    try {
      await app.chat.call('DELETE', `/sessions/${encodeURIComponent(id)}`);
    } catch (error) {
      sayFault(error);
    }
    await load();
  };
  return (
    <fieldset>
      <legend>Where you are logged in</legend>
      <ul class="browsers">
        {sessions.value?.map((session) => (
          <li key={session.id}>
            <span class="cut">
              {session.client === '' ? 'A browser' : session.client}
              <small>
                {session.is_current
                  ? ' · this one'
                  : ` · used ${shortTime(session.last_used_at * 1_000, nowMs.value)}`}
              </small>
            </span>
            <button type="button" onClick={() => void end(session)}>
              Log out
            </button>
          </li>
        ))}
      </ul>
    </fieldset>
  );
}
