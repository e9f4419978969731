import { KeptChoice, KeptSwitch } from '../../parts/pages/kept.tsx';
import {
  type ChoiceWords,
  chosenOf,
  isOn,
  optionsOf,
  setChosen,
  setToggle,
  type ToggleWords,
} from '../../store/account/preferences.ts';

/** A setting of the account that is on or off. */
export const SettingSwitch = ({ name, label, hint }: ToggleWords) => (
  <KeptSwitch
    label={label}
    hint={hint}
    value={isOn(name)}
    onKeep={(wanted) => setToggle(name, wanted)}
  />
);

/** A setting of the account with several values, which are numbers or words. */
export function SettingChoice(words: ChoiceWords) {
  const value = chosenOf(words.name);
  return (
    <KeptChoice
      label={words.label}
      hint={words.hint}
      value={String(value ?? '')}
      options={optionsOf(words, value)}
      onKeep={(wanted) =>
        setChosen(words.name, typeof value === 'number' ? Number(wanted) : wanted)
      }
    />
  );
}
