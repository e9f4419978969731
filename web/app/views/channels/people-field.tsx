import { useId, useState } from 'preact/hooks';
import { Avatar } from '../../parts/avatar.tsx';
import { Choices, choiceId, steppedTo } from '../../parts/choices.tsx';
import { Icon } from '../../parts/icon.tsx';
import { ownId, people, personOf } from '../../store/model.ts';
import { foundPeople } from '../../store/people/finding.ts';

export interface PeopleFieldProps {
  readonly label: string;
  readonly chosen: readonly number[];
  readonly onChange: (userIds: readonly number[]) => void;
}

const SHOWN_MAX = 6;

/** A field that collects people by their names. */
export function PeopleField({ label, chosen, onChange }: PeopleFieldProps) {
  const id = useId();
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const found =
    text.trim() === ''
      ? []
      : foundPeople(
          people.value.values(),
          text,
          SHOWN_MAX,
          (person) => person.id !== ownId.value && !chosen.includes(person.id),
        );
  const take = (userId: number) => {
    onChange([...chosen, userId]);
    setText('');
    setAt(0);
  };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {chosen.length === 0 ? null : (
        <ul class="chips">
          {chosen.map((userId) => (
            <li key={userId} class="chip">
              <Avatar person={personOf(userId)} size="s" />
              {personOf(userId).name}
              <button
                type="button"
                class="icon"
                aria-label={`Leave ${personOf(userId).name} out`}
                onClick={() => onChange(chosen.filter((one) => one !== userId))}
              >
                <Icon name="close" />
              </button>
            </li>
          ))}
        </ul>
      )}
      <input
        id={id}
        type="text"
        role="combobox"
        autocomplete="off"
        placeholder="Write a name"
        aria-expanded={found.length > 0}
        aria-controls={`${id}-found`}
        aria-autocomplete="list"
        aria-activedescendant={found.length === 0 ? undefined : choiceId(`${id}-found`, at)}
        value={text}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value);
          setAt(0);
        }}
        onKeyDown={(event) => {
          const next = steppedTo(event.key, at, found.length);
          const person = found[at];
          if (next !== null) setAt(next);
          else if (event.key === 'Enter' && person !== undefined) take(person.id);
          else if (event.key === 'Backspace' && text === '' && chosen.length > 0) {
            onChange(chosen.slice(0, -1));
          } else return;
          event.preventDefault();
        }}
      />
      {found.length === 0 ? null : (
        <Choices
          id={`${id}-found`}
          label="People"
          items={found}
          keyOf={(person) => String(person.id)}
          at={at}
          onTake={(person) => take(person.id)}
        >
          {(person) => (
            <>
              <Avatar person={person} size="s" />
              <span class="cut">{person.name}</span>
              <small class="cut">{person.email}</small>
            </>
          )}
        </Choices>
      )}
    </div>
  );
}
