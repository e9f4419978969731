import { Avatar } from '../../parts/avatar.tsx';
import { attempt } from '../../parts/form.tsx';
import { Panel } from '../../parts/pages/panel.tsx';
import { PRIVACY, VISIBILITY } from '../../store/account/preferences.ts';
import { app } from '../../store/app.ts';
import { nowMs, personOf } from '../../store/model.ts';
import { openPanel } from '../../store/panels.ts';
import { mutePerson } from '../../store/people/profile.ts';
import { day } from '../../store/times.ts';
import { SettingChoice, SettingSwitch } from './setting-fields.tsx';

/** Says what others see of one, and lists the people whom one does not hear. */
export const Privacy = () => (
  <>
    <Panel title="What others see">
      {PRIVACY.map((words) => (
        <SettingSwitch key={words.name} {...words} />
      ))}
      <SettingChoice {...VISIBILITY} />
    </Panel>
    <Muted />
  </>
);

function Muted() {
  const muted = [...app.read('mutedUsers', 'users').mutedUsers];
  return (
    <Panel
      title="Muted people"
      hint="What they write is hidden and read at once. They are not told. One mutes somebody on their card."
    >
      {muted.length === 0 ? (
        <p>You have muted nobody.</p>
      ) : (
        <ul class="card-list">
          {muted.map(([id, at]) => (
            <li key={id} class="card-row">
              <Avatar person={personOf(id)} />
              <div class="card-text">
                <button
                  type="button"
                  class="card-name cut"
                  onClick={() => openPanel({ about: 'person', userId: id })}
                >
                  {personOf(id).name}
                </button>
                <p class="card-about">Muted: {day(at * 1_000, nowMs.value)}</p>
              </div>
              <button
                type="button"
                class="card-act"
                aria-label={`Stop muting ${personOf(id).name}`}
                onClick={() => attempt(mutePerson(id, false))}
              >
                Stop muting
              </button>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}
