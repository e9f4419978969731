import { useComputed, useSignal } from '@preact/signals';
import { Avatar } from '../../parts/avatar.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { FilterBar, HowManyMore } from '../../parts/filters.tsx';
import { attempt, Choice, Form } from '../../parts/form.tsx';
import { Icon } from '../../parts/icon.tsx';
import { givenRoles, isAdministrator, ROLES, roleName } from '../../store/account/rights.ts';
import { app } from '../../store/app.ts';
import { personOf, presenceOf } from '../../store/model.ts';
import { say } from '../../store/notices.ts';
import {
  changeRole,
  deactivate,
  type Member,
  type MemberFilter,
  members,
  reactivate,
  resetSecondStep,
} from '../../store/organization/organization.ts';
import { openPanel } from '../../store/panels.ts';
import { Empty } from '../empty.tsx';

const FILTERS: readonly (readonly [MemberFilter, string])[] = [
  ['active', 'Active'],
  ['deactivated', 'Deactivated'],
];

/** More are found by their names. */
const SHOWN_MAX = 100;

/** The people of the organization, their roles, and whether they are let in. */
export function Members() {
  const filter = useSignal<MemberFilter>('active');
  const text = useSignal('');
  const leaving = useSignal<Member | null>(null);
  const resetting = useSignal<Member | null>(null);
  const found = useComputed(() => members(app.read('users'), filter.value, text.value));
  const { facts } = app.read('own', 'realm');
  return (
    <>
      <FilterBar of="people" text={text} options={FILTERS} filter={filter}>
        {facts.can_invite_others_to_realm === true ? (
          <button type="button" class="first" onClick={() => openPanel({ about: 'invite' })}>
            Invite people
          </button>
        ) : null}
      </FilterBar>
      {found.value.length === 0 ? (
        <Empty icon="people" title="Nobody is like that">
          <p>
            {filter.value === 'deactivated'
              ? 'People who were deactivated stand here, and can be let in again.'
              : 'Write less of the name, or invite somebody.'}
          </p>
        </Empty>
      ) : (
        <ul class="card-list">
          {found.value.slice(0, SHOWN_MAX).map((member) => (
            <Row
              key={member.id}
              member={member}
              onDeactivate={() => {
                leaving.value = member;
              }}
              onReset={() => {
                resetting.value = member;
              }}
            />
          ))}
        </ul>
      )}
      <HowManyMore count={found.value.length - SHOWN_MAX} />
      {resetting.value === null ? null : (
        <Resetting
          member={resetting.value}
          onClose={() => {
            resetting.value = null;
          }}
        />
      )}
      {leaving.value === null ? null : (
        <Deactivation
          member={leaving.value}
          onClose={() => {
            leaving.value = null;
          }}
        />
      )}
    </>
  );
}

interface RowProps {
  readonly member: Member;
  readonly onDeactivate: () => void;
  readonly onReset: () => void;
}

function Row({ member, onDeactivate, onReset }: RowProps) {
  const { id, name, email, role, isActive } = member;
  const state = app.read('own', 'users');
  const given = givenRoles(state);
  const isMine = id === state.ownId;
  // People do not change accounts that are mightier than their own.
  const mayChange = isAdministrator(state) && !isMine && given.some(([one]) => one === role);
  const options = (mayChange ? given : ROLES).map(
    ([value, words]) => [String(value), words] as const,
  );
  return (
    <li class="card-row">
      <Avatar person={personOf(id)} presence={isActive ? presenceOf(id) : undefined} />
      <div class="card-text">
        <button
          type="button"
          class="card-name cut"
          onClick={() => openPanel({ about: 'person', userId: id })}
        >
          {name}
          {isMine ? ' (you)' : ''}
        </button>
        <p class="card-about cut">{email}</p>
      </div>
      {mayChange && isActive ? (
        <Choice
          label={`Role of ${name}`}
          isBare
          value={String(role)}
          options={options}
          onChange={(value) => attempt(changeRole(id, Number(value)), `${name} has another role.`)}
        />
      ) : (
        <span class="muted">{roleName(role)}</span>
      )}
      {!mayChange ? null : isActive ? (
        <>
          <button
            type="button"
            class="icon"
            aria-label={`Reset the second step of ${name}`}
            title="Reset the second step"
            onClick={onReset}
          >
            <Icon name="lock" />
          </button>
          <button
            type="button"
            class="card-act"
            aria-label={`Deactivate ${name}`}
            onClick={onDeactivate}
          >
            Deactivate
          </button>
        </>
      ) : (
        <button
          type="button"
          class="card-act"
          aria-label={`Reactivate ${name}`}
          onClick={() => attempt(reactivate(id), `${name} may log in again.`)}
        >
          Reactivate
        </button>
      )}
    </li>
  );
}

interface DialogProps {
  readonly member: Member;
  readonly onClose: () => void;
}

const Deactivation = ({ member: { id, name }, onClose }: DialogProps) => (
  <Dialog title={`Deactivate ${name}?`} onClose={onClose}>
    <Form
      submit="Deactivate"
      isGrave
      onCancel={onClose}
      onSubmit={async () => {
        await deactivate(id);
        onClose();
      }}
    >
      <p>
        They are logged out everywhere, and their bots end. What they wrote stays, and they can be
        let in again.
      </p>
    </Form>
  </Dialog>
);

const Resetting = ({ member: { id, name }, onClose }: DialogProps) => (
  <Dialog title={`Reset the second step of ${name}?`} onClose={onClose}>
    <Form
      submit="Reset"
      isGrave
      onCancel={onClose}
      onSubmit={async () => {
        await resetSecondStep(id);
        onClose();
        say(`The password of ${name} logs in alone now.`);
      }}
    >
      <p>
        Their app, their passkeys and their recovery codes end, if they have any, and their password
        alone logs them in. They are told by mail. Be sure that it is they who ask for it.
      </p>
    </Form>
  </Dialog>
);
