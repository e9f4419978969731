import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { app } from '../../store/app.ts';
import { mayHavePrivacy, PRIVACIES, type Privacy } from '../../store/channels/browse.ts';

export interface PrivacyChoiceProps {
  readonly legend: string;
  readonly value: Privacy;
  /** The one that the channel has now, which stays possible; null for a new one. */
  readonly now: Privacy | null;
  readonly onChange: (privacy: Privacy) => void;
  /** Further fields below the choices. */
  readonly children?: ComponentChildren;
}

/** A choice of who finds and reads a channel, with what the account may choose. */
export function PrivacyChoice({ legend, value, now, onChange, children }: PrivacyChoiceProps) {
  const name = useId();
  const state = app.read('own', 'realm', 'groups', 'server');
  const choices = PRIVACIES.filter(
    ([privacy]) => privacy === now || mayHavePrivacy(state, privacy),
  );
  return (
    <fieldset class="field">
      <legend>{legend}</legend>
      {choices.map(([privacy, words, hint]) => (
        <label key={privacy} class="check">
          <input
            type="radio"
            name={name}
            checked={value === privacy}
            onChange={() => onChange(privacy)}
          />
          <span>
            {words}
            <small class="field-hint">{hint}</small>
          </span>
        </label>
      ))}
      {children}
    </fieldset>
  );
}
