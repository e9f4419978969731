import { useSignal } from '@preact/signals';
import { useState } from 'preact/hooks';
import { Dialog } from '../../parts/dialog.tsx';
import { attempt, Field, Form } from '../../parts/form.tsx';
import { app } from '../../store/app.ts';
import { ownId, personOf } from '../../store/model.ts';
import {
  changeGroup,
  changeMembers,
  deactivateGroup,
  groupsIn,
  type ListedGroup,
  makeGroup,
  mayMakeGroups,
} from '../../store/organization/groups.ts';
import { PeopleField } from '../channels/people-field.tsx';
import { Empty } from '../empty.tsx';
import { GroupRights } from './group-rights.tsx';

type Asked =
  | { readonly about: 'new' }
  | { readonly about: 'change' | 'rights' | 'end'; readonly group: ListedGroup }
  | null;

/** Groups of people, who are mentioned together and may have rights together. */
export function Groups() {
  const asked = useSignal<Asked>(null);
  const state = app.read('groups', 'users', 'realm', 'own');
  const groups = groupsIn(state);
  const close = () => {
    asked.value = null;
  };
  const ask = (next: Asked) => {
    asked.value = next;
  };
  const make = mayMakeGroups(state) ? (
    <button type="button" class="first" onClick={() => ask({ about: 'new' })}>
      New group
    </button>
  ) : null;
  return (
    <>
      {groups.length === 0 ? (
        <Empty icon="people" title="There is no group yet">
          <p>A group is mentioned by one name, and may be given rights.</p>
          {make}
        </Empty>
      ) : (
        <>
          <div class="later-bar">{make}</div>
          <ul class="card-list">
            {groups.map((group) => (
              <Row key={group.id} group={group} onAsk={ask} />
            ))}
          </ul>
        </>
      )}
      {asked.value?.about === 'new' ? <GroupDialog before={null} onClose={close} /> : null}
      {asked.value?.about === 'change' ? (
        <GroupDialog before={asked.value.group} onClose={close} />
      ) : null}
      {asked.value?.about === 'rights' ? (
        <GroupRights groupId={asked.value.group.id} onClose={close} />
      ) : null}
      {asked.value?.about === 'end' ? <End group={asked.value.group} onClose={close} /> : null}
    </>
  );
}

interface RowProps {
  readonly group: ListedGroup;
  readonly onAsk: (asked: Asked) => void;
}

/** More names have no room in a line. */
const NAMES_MAX = 4;

function Row({ group, onAsk }: RowProps) {
  const { id, name, description, memberIds, subgroups, mayManage, mayJoin, mayLeave } = group;
  const names = memberIds.slice(0, NAMES_MAX).map((one) => personOf(one).name);
  const more = memberIds.length - names.length;
  const all = [
    ...names,
    ...(more > 0 ? [`${more} more`] : []),
    ...subgroups.map((one) => `@${one}`),
  ];
  return (
    <li class="card-row">
      <div class="card-text">
        <span class="card-name cut">@{name}</span>
        {description === '' ? null : <p class="card-about">{description}</p>}
        <p class="card-about">{all.length === 0 ? 'Nobody is in it.' : all.join(', ')}</p>
      </div>
      <div class="form-buttons">
        {mayJoin ? (
          <button
            type="button"
            aria-label={`Join ${name}`}
            onClick={() => attempt(changeMembers(id, [ownId.value], []))}
          >
            Join
          </button>
        ) : null}
        {mayLeave ? (
          <button
            type="button"
            aria-label={`Leave ${name}`}
            onClick={() => attempt(changeMembers(id, [], [ownId.value]))}
          >
            Leave
          </button>
        ) : null}
        {mayManage ? (
          <button
            type="button"
            aria-label={`Change ${name}`}
            onClick={() => onAsk({ about: 'change', group })}
          >
            Change
          </button>
        ) : null}
        <button
          type="button"
          aria-label={`Rights of ${name}`}
          onClick={() => onAsk({ about: 'rights', group })}
        >
          Rights
        </button>
        {mayManage ? (
          <button
            type="button"
            class="card-act"
            aria-label={`Deactivate ${name}`}
            onClick={() => onAsk({ about: 'end', group })}
          >
            Deactivate
          </button>
        ) : null}
      </div>
    </li>
  );
}

interface GroupDialogProps {
  readonly before: ListedGroup | null;
  readonly onClose: () => void;
}

function GroupDialog({ before, onClose }: GroupDialogProps) {
  const [name, setName] = useState(before?.name ?? '');
  const [description, setDescription] = useState(before?.description ?? '');
  const [memberIds, setMemberIds] = useState<readonly number[]>(before?.memberIds ?? [ownId.value]);
  return (
    <Dialog title={before === null ? 'New group' : `Change @${before.name}`} onClose={onClose}>
      <Form
        submit={before === null ? 'Create group' : 'Save'}
        isDisabled={name.trim() === ''}
        onCancel={onClose}
        onSubmit={async () => {
          const form = { name, description, memberIds };
          if (before === null) await makeGroup(form);
          else await changeGroup(before, form);
          onClose();
        }}
      >
        <Field label="Name" value={name} maxLength={100} isFirst isRequired onInput={setName} />
        <Field
          label="What it is for"
          value={description}
          maxLength={1_024}
          onInput={setDescription}
        />
        <PeopleField label="Members" chosen={memberIds} onChange={setMemberIds} />
      </Form>
    </Dialog>
  );
}

interface EndProps {
  readonly group: ListedGroup;
  readonly onClose: () => void;
}

const End = ({ group: { id, name }, onClose }: EndProps) => (
  <Dialog title={`Deactivate @${name}?`} onClose={onClose}>
    <Form
      submit="Deactivate"
      isGrave
      onCancel={onClose}
      onSubmit={async () => {
        await deactivateGroup(id);
        onClose();
      }}
    >
      <p>Nobody mentions it from then on. A group that has rights keeps them, and is refused.</p>
    </Form>
  </Dialog>
);
