import type { Contents } from '@confab/client/store';
import { useId, useRef, useState } from 'preact/hooks';
import { Form } from '../../parts/form.tsx';
import { KeptLabel, Outcomes, useKept } from '../../parts/pages/kept.tsx';
import type { Holders } from '../../store/account/rights.ts';
import { app } from '../../store/app.ts';
import { type GroupOption, holdersText, partsOf } from '../../store/channels/permissions.ts';
import { personOf } from '../../store/model.ts';
import { type Who, WhoField } from '../channels/who-field.tsx';
import '../channels/style.ts';

export interface HoldersRowProps {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly holders: Holders | undefined;
  /** The groups of which one may have the right alone. */
  readonly options: readonly GroupOption[];
  /** False if the right goes to one of the groups, and to nobody else. */
  readonly mayBeSome?: boolean;
  readonly isDisabled?: boolean;
  /** Rejects with the refusal. */
  readonly onKeep: (holders: Holders) => Promise<unknown>;
}

/** The value of the choice that stands for some people and groups. */
const SOME = 'some';

/** A right: one group has it, or several people and groups. */
export function HoldersRow(props: HoldersRowProps) {
  const { label, hint, holders, options, mayBeSome = true, isDisabled, onKeep } = props;
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const select = useRef<HTMLSelectElement>(null);
  const { shown, outcome, set } = useKept<Holders | undefined>(holders, async (after) => {
    if (after !== undefined) await onKeep(after);
  });
  const isNamed = typeof shown === 'number' && options.some((option) => option.id === shown);
  const close = () => {
    select.current?.focus();
    setOpen(false);
  };
  const isSome = isOpen || !isNamed;
  return (
    <div>
      <div class="kept-row">
        <KeptLabel id={id} label={label} hint={hint} />
        <select
          ref={select}
          id={id}
          value={isSome ? SOME : String(shown)}
          disabled={isDisabled}
          onChange={({ currentTarget: { value } }) => {
            setOpen(value === SOME);
            if (value !== SOME) void set(Number(value));
          }}
        >
          {options.map((option) => (
            <option key={option.id} value={option.id} selected={!isSome && option.id === shown}>
              {option.label}
            </option>
          ))}
          {mayBeSome || isSome ? (
            <option value={SOME} selected={isSome}>
              Some people …
            </option>
          ) : null}
        </select>
        <Outcomes outcome={outcome} />
      </div>
      {isOpen ? (
        <SomeHolders
          label={label}
          holders={shown}
          options={options}
          onSave={async (after) => {
            if (await set(after)) close();
          }}
          onClose={close}
        />
      ) : isNamed ? null : (
        <SomeNames
          label={label}
          holders={shown}
          onChange={isDisabled === true ? null : () => setOpen(true)}
        />
      )}
    </div>
  );
}

interface SomeNamesProps {
  readonly label: string;
  readonly holders: Holders | undefined;
  /** Null if it is not to be changed. */
  readonly onChange: (() => void) | null;
}

function SomeNames({ label, holders, onChange }: SomeNamesProps) {
  const state = app.read('groups', 'users');
  return (
    <div class="holders">
      <p class="muted">{holdersText(state, holders, (id) => personOf(id).name)}</p>
      {onChange === null ? null : (
        <button
          type="button"
          class="quiet"
          aria-label={`Change these people: ${label}`}
          onClick={onChange}
        >
          Change these people
        </button>
      )}
    </div>
  );
}

interface SomeHoldersProps {
  readonly label: string;
  readonly holders: Holders | undefined;
  readonly options: readonly GroupOption[];
  readonly onSave: (holders: Holders) => Promise<unknown>;
  readonly onClose: () => void;
}

function SomeHolders({ label, holders, options, onSave, onClose }: SomeHoldersProps) {
  // The latest choice may still be on its way: until one changes something, it is followed.
  const [changed, setWho] = useState<Who | null>(null);
  const who = changed ?? withoutNobody(partsOf(holders), app.read('groups'));
  const { userIds, groupIds } = who;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset has an edge and a name that is seen.
    <div class="some-holders" role="group" aria-label={label}>
      <Form
        submit="Save"
        isDisabled={userIds.length + groupIds.length === 0}
        onCancel={onClose}
        onSubmit={() => onSave({ direct_members: userIds, direct_subgroups: groupIds })}
      >
        <WhoField label="People and groups" chosen={who} groups={options} onChange={setWho} />
      </Form>
    </div>
  );
}

/** Leaves out the group of nobody: some people are chosen in its place. */
const withoutNobody = ({ userIds, groupIds }: Who, { groups }: Pick<Contents, 'groups'>): Who => ({
  userIds,
  groupIds: groupIds.filter((id) => groups.get(id)?.name !== 'role:nobody'),
});
