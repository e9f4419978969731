import { useSignal } from '@preact/signals';
import { useState } from 'preact/hooks';
import { askToNotify, mayNotify } from '../../net/notifications.ts';
import { attempt, Field, Form } from '../../parts/form.tsx';
import { Icon } from '../../parts/icon.tsx';
import { KeptSwitch } from '../../parts/pages/kept.tsx';
import { Panel } from '../../parts/pages/panel.tsx';
import {
  addAlertWord,
  alertWords,
  chosenOf,
  NOTIFICATIONS,
  NOTIFYING,
  removeAlertWord,
} from '../../store/account/preferences.ts';
import { change, settings } from '../../store/settings.ts';
import { Pushes } from './browser-pushes.tsx';
import { SettingChoice, SettingSwitch } from './setting-fields.tsx';

/** Says of which messages one is told, and in which ways. */
export const Notifications = () => (
  <>
    <Panel title="This browser">
      <OfBrowser />
    </Panel>
    <Pushes />
    {NOTIFICATIONS.map(({ title, settings: all }) => (
      <Panel key={title} title={title}>
        {all.map((words) => (
          <SettingSwitch key={words.name} {...words} />
        ))}
      </Panel>
    ))}
    <Panel title="How you are told">
      {NOTIFYING.map((words) => (
        <SettingChoice key={words.name} {...words} />
      ))}
      <button
        type="button"
        onClick={() =>
          attempt(
            import('../../net/sounds.ts').then(({ play }) =>
              play(String(chosenOf('notification_sound'))),
            ),
          )
        }
      >
        Hear the sound
      </button>
    </Panel>
    <AlertWords />
  </>
);

function OfBrowser() {
  const { notifications } = settings.value;
  const permission = useSignal(mayNotify());
  return (
    <>
      <KeptSwitch
        label="Tell me of messages while I look elsewhere"
        hint="On the desktop and with sounds, as the settings below say for each kind."
        value={notifications && permission.value === 'granted'}
        isDisabled={permission.value === 'denied'}
        onKeep={async (wanted) => {
          // The browser asks after a click alone.
          const answer = await askToNotify(wanted);
          permission.value = answer;
          change({ notifications: wanted && answer === 'granted' });
          if (wanted && answer !== 'granted') throw new Error('The browser does not let it.');
        }}
      />
      {permission.value === 'denied' ? (
        <p class="muted">
          This browser does not let this page notify; its own settings change that.
        </p>
      ) : null}
    </>
  );
}

/** As long as the server takes them. */
const WORD_LENGTH_MAX = 100;

function AlertWords() {
  const [word, setWord] = useState('');
  const words = alertWords();
  return (
    <Panel
      title="Alert words"
      hint="Messages with one of these words are told of like mentions, and found by is:alerted."
    >
      {words.length === 0 ? null : (
        <ul class="chips">
          {words.map((one) => (
            <li key={one} class="chip">
              {one}
              <button
                type="button"
                class="icon"
                aria-label={`Take away the alert word ${one}`}
                onClick={() => attempt(removeAlertWord(one))}
              >
                <Icon name="close" />
              </button>
            </li>
          ))}
        </ul>
      )}
      <Form
        submit="Add"
        isDisabled={word.trim() === ''}
        onSubmit={async () => {
          await addAlertWord(word);
          setWord('');
        }}
      >
        <Field
          label="A word or phrase"
          value={word}
          maxLength={WORD_LENGTH_MAX}
          onInput={setWord}
        />
      </Form>
    </Panel>
  );
}
