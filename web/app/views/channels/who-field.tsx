import { useId, useState } from 'preact/hooks';
import { Avatar } from '../../parts/avatar.tsx';
import { Choices, choiceId, steppedTo } from '../../parts/choices.tsx';
import { Icon } from '../../parts/icon.tsx';
import { app } from '../../store/app.ts';
import { groupLabel } from '../../store/channels/permissions.ts';
import { people, personOf } from '../../store/model.ts';
import { foundPeople } from '../../store/people/finding.ts';
import type { Person } from '../../store/shapes.ts';

/** People and groups of people. */
export interface Who {
  readonly userIds: readonly number[];
  readonly groupIds: readonly number[];
}

export interface WhoFieldProps {
  readonly label: string;
  readonly chosen: Who;
  /** The groups that can be chosen; none if only people can. */
  readonly groups?: readonly { readonly id: number; readonly label: string }[];
  readonly isWanted?: (person: Person) => boolean;
  readonly onChange: (who: Who) => void;
}

type Found =
  | { readonly key: string; readonly kind: 'person'; readonly person: Person }
  | { readonly key: string; readonly kind: 'group'; readonly id: number; readonly label: string };

const SHOWN_MAX = 6;
const GROUPS_MAX = 3;

/** A field that collects people and groups by their names. */
export function WhoField({ label, chosen, groups = [], isWanted, onChange }: WhoFieldProps) {
  const id = useId();
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const found = foundIn(text, chosen, groups, isWanted);
  const take = (one: Found) => {
    onChange(joined(chosen, one));
    setText('');
    setAt(0);
  };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <Chips chosen={chosen} onChange={onChange} />
      <input
        id={id}
        type="text"
        role="combobox"
        autocomplete="off"
        placeholder={groups.length === 0 ? 'Write a name' : 'Write the name of a person or a group'}
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
          const one = found[at];
          if (next !== null) setAt(next);
          else if (event.key === 'Enter' && one !== undefined) take(one);
          else if (event.key === 'Backspace' && text === '') onChange(withoutLast(chosen));
          else return;
          event.preventDefault();
        }}
      />
      {found.length === 0 ? null : (
        <Choices
          id={`${id}-found`}
          label="People"
          items={found}
          keyOf={({ key }) => key}
          at={at}
          onTake={take}
        >
          {(one) => <FoundLine found={one} />}
        </Choices>
      )}
    </div>
  );
}

function FoundLine({ found }: { readonly found: Found }) {
  if (found.kind === 'group') {
    return (
      <>
        <Icon name="people" />
        <span class="cut">{found.label}</span>
        <small class="cut">Group</small>
      </>
    );
  }
  return (
    <>
      <Avatar person={found.person} size="s" />
      <span class="cut">{found.person.name}</span>
      <small class="cut">{found.person.email}</small>
    </>
  );
}

function Chips({ chosen, onChange }: Pick<WhoFieldProps, 'chosen' | 'onChange'>) {
  const { userIds, groupIds } = chosen;
  if (userIds.length + groupIds.length === 0) return null;
  const { groups } = app.read('groups');
  return (
    <ul class="chips">
      {groupIds.map((groupId) => {
        const name = groupLabel(groups.get(groupId)?.name ?? 'An unknown group');
        return (
          <li key={`group ${groupId}`} class="chip">
            <Icon name="people" />
            {name}
            <Out
              name={name}
              onClick={() =>
                onChange({ userIds, groupIds: groupIds.filter((one) => one !== groupId) })
              }
            />
          </li>
        );
      })}
      {userIds.map((userId) => (
        <li key={userId} class="chip">
          <Avatar person={personOf(userId)} size="s" />
          {personOf(userId).name}
          <Out
            name={personOf(userId).name}
            onClick={() => onChange({ groupIds, userIds: userIds.filter((one) => one !== userId) })}
          />
        </li>
      ))}
    </ul>
  );
}

const Out = ({ name, onClick }: { readonly name: string; readonly onClick: () => void }) => (
  <button type="button" class="icon" aria-label={`Leave ${name} out`} onClick={onClick}>
    <Icon name="close" />
  </button>
);

function foundIn(
  text: string,
  chosen: Who,
  groups: NonNullable<WhoFieldProps['groups']>,
  isWanted: WhoFieldProps['isWanted'] = () => true,
): readonly Found[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === '') return [];
  const someGroups = groups
    .filter(
      ({ id, label }) => !chosen.groupIds.includes(id) && label.toLowerCase().includes(wanted),
    )
    .slice(0, GROUPS_MAX)
    .map((group): Found => ({ key: `group ${group.id}`, kind: 'group', ...group }));
  const some = foundPeople(
    people.value.values(),
    text,
    SHOWN_MAX,
    (person) => !chosen.userIds.includes(person.id) && isWanted(person),
  ).map((person): Found => ({ key: `person ${person.id}`, kind: 'person', person }));
  return [...some.slice(0, SHOWN_MAX - someGroups.length), ...someGroups];
}

const joined = ({ userIds, groupIds }: Who, one: Found): Who =>
  one.kind === 'group'
    ? { userIds, groupIds: [...groupIds, one.id] }
    : { userIds: [...userIds, one.person.id], groupIds };

const withoutLast = ({ userIds, groupIds }: Who): Who =>
  userIds.length > 0
    ? { userIds: userIds.slice(0, -1), groupIds }
    : { userIds, groupIds: groupIds.slice(0, -1) };
