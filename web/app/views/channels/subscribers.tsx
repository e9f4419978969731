import { useComputed, useSignal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Avatar } from '../../parts/avatar.tsx';
import { attempt, Form } from '../../parts/form.tsx';
import { WindowList } from '../../parts/lists/window-list.tsx';
import { app } from '../../store/app.ts';
import { addSubscribers, removeSubscribers } from '../../store/channels/browse.ts';
import { groupOptions, mayAddOthers, mayRemoveOthers } from '../../store/channels/permissions.ts';
import { loadSubscribers, subscribersOf } from '../../store/channels/subscribers.ts';
import { ownId, people, presenceOf } from '../../store/model.ts';
import { say } from '../../store/notices.ts';
import { openPanel } from '../../store/panels.ts';
import { foundPeople } from '../../store/people/finding.ts';
import { membersOf } from '../../store/people/groups.ts';
import type { Person } from '../../store/shapes.ts';
import { type Who, WhoField } from './who-field.tsx';

interface SubscribersProps {
  readonly channelId: number;
}

/** The people of a channel, to find, to add and to remove. */
export function Subscribers({ channelId }: SubscribersProps) {
  const state = app.read('channels', 'groups', 'own', 'realm');
  useEffect(() => void loadSubscribers(channelId), [channelId]);
  const channel = state.channels.get(channelId);
  if (channel === undefined) return null;
  return (
    <>
      {mayAddOthers(state, channelId) ? <Add channelId={channelId} name={channel.name} /> : null}
      <Those
        channelId={channelId}
        name={channel.name}
        mayRemove={mayRemoveOthers(state, channelId)}
      />
    </>
  );
}

const NOBODY: Who = { userIds: [], groupIds: [] };

function Add({ channelId, name }: SubscribersProps & { readonly name: string }) {
  const state = app.read('groups', 'users', 'channels');
  const [who, setWho] = useState<Who>(NOBODY);
  const inside = subscribersOf(channelId);
  const wanted = new Set([...who.userIds, ...membersOf(state, who.groupIds)]);
  const added = [...wanted].filter((id) => inside?.has(id) !== true);
  const isSecret = state.channels.get(channelId)?.history_public_to_subscribers === false;
  return (
    <Form
      submit={added.length > 1 ? `Add ${added.length} people` : 'Add'}
      isDisabled={added.length === 0}
      onSubmit={async () => {
        await addSubscribers(name, added);
        setWho(NOBODY);
        say(
          added.length === 1 ? `One more is in #${name}.` : `${added.length} more are in #${name}.`,
        );
      }}
    >
      <WhoField
        label="Add people"
        chosen={who}
        groups={groupOptions(state)}
        isWanted={({ id }) => inside?.has(id) !== true}
        onChange={setWho}
      />
      {wanted.size > 0 && added.length === 0 ? (
        <p class="muted">All of them are in the channel already.</p>
      ) : null}
      {isSecret && added.length > 0 ? (
        <p class="muted">They see what is written from now on.</p>
      ) : null}
    </Form>
  );
}

const ROW_REM = 3;

interface ThoseProps extends SubscribersProps {
  readonly name: string;
  readonly mayRemove: boolean;
}

function Those({ channelId, name, mayRemove }: ThoseProps) {
  const field = useRef<HTMLInputElement>(null);
  const text = useSignal('');
  const chosen = useSignal<ReadonlySet<number>>(new Set());
  const found = useComputed(() => {
    const inside = subscribersOf(channelId);
    if (inside === undefined) return null;
    return foundPeople(people.value.values(), text.value, Number.POSITIVE_INFINITY, ({ id }) =>
      inside.has(id),
    );
  });
  if (found.value === null) return null;
  const removed = [...chosen.value].filter((id) => subscribersOf(channelId)?.has(id));
  const count = found.value.length;
  const choose = (id: number) => {
    const next = new Set(chosen.value);
    if (!next.delete(id)) next.add(id);
    chosen.value = next;
  };
  const remove = (userIds: readonly number[]) => {
    // The button for all that are chosen goes with the choice.
    if (chosen.value.size > 0) field.current?.focus();
    chosen.value = new Set();
    const done =
      userIds.length === 1 ? 'One person is removed.' : `${userIds.length} people are removed.`;
    attempt(removeSubscribers(name, userIds), done);
  };
  return (
    <>
      <div class="later-bar">
        <input
          ref={field}
          type="search"
          aria-label="Filter the people of the channel"
          placeholder="Filter by name or address"
          value={text.value}
          onInput={({ currentTarget }) => {
            text.value = currentTarget.value;
          }}
        />
        <p class="muted" role="status">
          {count === 1 ? '1 person' : `${count} people`}
        </p>
        {removed.length === 0 ? null : (
          <button type="button" class="grave" onClick={() => remove(removed)}>
            Remove {removed.length}
          </button>
        )}
      </div>
      {count === 0 ? (
        <p class="muted">{text.value === '' ? 'Nobody is in it yet.' : 'Nobody is like that.'}</p>
      ) : (
        <section class="bounded" aria-label="People of the channel">
          <WindowList
            label="People of the channel"
            items={found.value}
            keyOf={({ id }) => String(id)}
            rowRem={ROW_REM}
          >
            {(person, tabIndex) => (
              <PersonRow
                person={person}
                tabIndex={tabIndex}
                isChosen={chosen.value.has(person.id)}
                onChoose={mayRemove ? choose : null}
                onRemove={mayRemove || isOwnBot(person.id) ? (id) => remove([id]) : null}
              />
            )}
          </WindowList>
        </section>
      )}
    </>
  );
}

const isOwnBot = (id: number) => app.read('users').users.get(id)?.bot_owner_id === ownId.value;

interface PersonRowProps {
  readonly person: Person;
  readonly tabIndex: 0 | -1;
  readonly isChosen: boolean;
  /** Null if the account may not. */
  readonly onChoose: ((id: number) => void) | null;
  readonly onRemove: ((id: number) => void) | null;
}

function PersonRow({ person, tabIndex, isChosen, onChoose, onRemove }: PersonRowProps) {
  const { id, name, email, isBot, isGuest } = person;
  return (
    <div class="person-row">
      {onChoose === null ? null : (
        <input
          type="checkbox"
          aria-label={`Choose ${name}`}
          tabIndex={tabIndex}
          checked={isChosen}
          disabled={id === ownId.value}
          onChange={() => onChoose(id)}
        />
      )}
      <Avatar person={person} size="m" presence={presenceOf(id)} />
      <div class="card-text">
        <button
          type="button"
          class="card-name cut"
          tabIndex={tabIndex}
          onClick={() => openPanel({ about: 'person', userId: id })}
        >
          {name}
          {id === ownId.value ? ' (you)' : ''}
        </button>
        <p class="card-about cut">{isBot ? 'Bot' : isGuest ? `Guest · ${email}` : email}</p>
      </div>
      {onRemove === null || id === ownId.value ? null : (
        <button
          type="button"
          class="card-act"
          aria-label={`Remove ${name}`}
          tabIndex={tabIndex}
          onClick={() => onRemove(id)}
        >
          Remove
        </button>
      )}
    </div>
  );
}
