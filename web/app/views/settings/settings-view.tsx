import { useSignal } from '@preact/signals';
import { askToNotify, mayNotify } from '../../net/notifications.ts';
import { Check, Switch } from '../../parts/form.tsx';
import { isOn, NOTIFICATIONS, PRIVACY, setToggle } from '../../store/account/account.ts';
import { change, settings, THEMES, type Theme } from '../../store/settings.ts';
import { ApiKey, Name, Password, Status } from './account.tsx';
import { Browsers } from './browsers.tsx';

const THEME_NAMES: Readonly<Record<Theme, string>> = {
  system: 'As the system',
  light: 'Light',
  dark: 'Dark',
  contrast: 'High contrast',
};

/** Shows the settings of the account and of this browser, and where else one is logged in. */
export function SettingsView() {
  const { theme, letterKeys } = settings.value;
  return (
    <div class="settings">
      <Name />
      <Status />
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
        <Check
          label="Single letters are keys, outside of fields"
          checked={letterKeys}
          onChange={(wanted) => change({ letterKeys: wanted })}
        />
      </fieldset>
      <fieldset>
        <legend>Notifications of this browser</legend>
        <OfBrowser />
      </fieldset>
      <fieldset>
        <legend>Notifications of your account</legend>
        {NOTIFICATIONS.map((group) => (
          <section key={group.title} class="switches">
            <h2>{group.title}</h2>
            {group.settings.map(([name, label]) => (
              <Switch
                key={name}
                label={label}
                checked={isOn(name)}
                onChange={(wanted) => setToggle(name, wanted)}
              />
            ))}
          </section>
        ))}
      </fieldset>
      <fieldset>
        <legend>What others see</legend>
        {PRIVACY.map(([name, label]) => (
          <Switch
            key={name}
            label={label}
            checked={isOn(name)}
            onChange={(wanted) => setToggle(name, wanted)}
          />
        ))}
      </fieldset>
      <Password />
      <Browsers />
      <ApiKey />
    </div>
  );
}

function OfBrowser() {
  const { notifications } = settings.value;
  const permission = useSignal(mayNotify());
  return (
    <>
      <Check
        label="Show mentions and direct messages on the desktop"
        checked={notifications && permission.value === 'granted'}
        isDisabled={permission.value === 'denied'}
        onChange={(wanted) => {
          // The browser asks after a click alone.
          void askToNotify(wanted).then((answer) => {
            permission.value = answer;
            change({ notifications: wanted && answer === 'granted' });
          });
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
