import { KeptSwitch, Outcomes, useKept } from '../../parts/pages/kept.tsx';
import { Panel } from '../../parts/pages/panel.tsx';
import { settingsOf } from '../../store/account/appearance.ts';
import {
  CLOCK,
  changeAccount,
  FOLLOWING,
  FOLLOWS_MENTIONS,
  HOME,
  READING,
  RESOLVED_NOTICES,
  SEES_TYPING,
  SIZES,
  WRITING,
} from '../../store/account/preferences.ts';
import { change, settings, THEMES, type Theme } from '../../store/settings.ts';
import { SettingChoice, SettingSwitch } from './setting-fields.tsx';

const THEME_NAMES: Readonly<Record<Theme, string>> = {
  system: 'As the system',
  light: 'Light',
  dark: 'Dark',
  contrast: 'High contrast',
};

/** The look of the page, and where it begins. */
export const Appearance = () => (
  <>
    <Themes />
    <Panel title="Texts">
      {SIZES.map((words) => (
        <SettingChoice key={words.name} {...words} />
      ))}
    </Panel>
    <Panel title="Time and place">
      <SettingSwitch {...CLOCK} />
      <SettingChoice {...HOME} />
    </Panel>
  </>
);

function Themes() {
  const { shown, outcome, set } = useKept(settings.value.theme, async (theme) => {
    // The browser keeps it as well, so that the page has its colours before anybody is known.
    change({ theme });
    await changeAccount(settingsOf(theme));
  });
  return (
    <Panel title="Colours">
      <fieldset class="themes">
        <legend class="unseen">Colours</legend>
        {THEMES.map((name) => (
          <label key={name} class="theme-choice" data-theme-of={name}>
            <span class="theme-picture" aria-hidden="true" />
            <span class="check">
              <input
                type="radio"
                name="theme"
                checked={shown === name}
                onChange={() => void set(name)}
              />
              {THEME_NAMES[name]}
            </span>
          </label>
        ))}
      </fieldset>
      <Outcomes outcome={outcome} />
    </Panel>
  );
}

/** How one writes, and when something counts as read. */
export const Writing = () => (
  <>
    <Panel title="Writing">
      {WRITING.map((words) => (
        <SettingSwitch key={words.name} {...words} />
      ))}
      <SettingSwitch {...SEES_TYPING} />
    </Panel>
    <Panel title="Reading">
      <SettingChoice {...READING} />
      <SettingChoice {...RESOLVED_NOTICES} />
    </Panel>
    <Panel title="Following" hint="Topics that you follow are told of as your settings say.">
      {FOLLOWING.map((words) => (
        <SettingChoice key={words.name} {...words} />
      ))}
      <SettingSwitch {...FOLLOWS_MENTIONS} />
    </Panel>
    <Panel title="Keys">
      <KeptSwitch
        label="Single letters are keys, outside of fields"
        hint="This browser keeps it. Keys with Ctrl, arrows and Escape stay."
        value={settings.value.letterKeys}
        onKeep={async (wanted) => change({ letterKeys: wanted })}
      />
    </Panel>
  </>
);
