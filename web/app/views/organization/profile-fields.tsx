import { useSignal } from '@preact/signals';
import { useState } from 'preact/hooks';
import { Dialog } from '../../parts/dialog.tsx';
import { Check, Choice, Field, Form } from '../../parts/form.tsx';
import { MoveButtons } from '../../parts/pages/move-buttons.tsx';
import { FIELD } from '../../store/account/profile.ts';
import { app } from '../../store/app.ts';
import {
  accountOptions,
  FIELD_TYPES,
  type FieldForm,
  formOf,
  moveField,
  NEW_FIELD,
  type ProfileField,
  profileFields,
  removeField,
  saveField,
  typeName,
} from '../../store/organization/profile-fields.ts';
import { Empty } from '../empty.tsx';

type Asked =
  | { readonly about: 'new' }
  | { readonly about: 'change' | 'remove'; readonly field: ProfileField }
  | null;

/** The fields that everybody's profile has. */
export function ProfileFields() {
  const asked = useSignal<Asked>(null);
  const fields = profileFields();
  const close = () => {
    asked.value = null;
  };
  const ask = (next: Asked) => () => {
    asked.value = next;
  };
  const make = (
    <button type="button" class="first" onClick={ask({ about: 'new' })}>
      New field
    </button>
  );
  return (
    <>
      {fields.length === 0 ? (
        <Empty icon="people" title="Profiles have no fields yet">
          <p>Add what people want to know of each other, such as a team or a telephone number.</p>
          {make}
        </Empty>
      ) : (
        <>
          <div class="later-bar">{make}</div>
          <ul class="card-list">
            {fields.map((field, at) => (
              <li key={field.id} class="card-row">
                <div class="card-text">
                  <span class="card-name cut">{field.name}</span>
                  <p class="card-about">{aboutOf(field)}</p>
                </div>
                <MoveButtons
                  name={field.name}
                  isFirst={at === 0}
                  isLast={at === fields.length - 1}
                  onMove={(by) => moveField(field.id, by)}
                />
                <button
                  type="button"
                  aria-label={`Change ${field.name}`}
                  onClick={ask({ about: 'change', field })}
                >
                  Change
                </button>
                <button
                  type="button"
                  class="card-act"
                  aria-label={`Delete ${field.name}`}
                  onClick={ask({ about: 'remove', field })}
                >
                  Delete
                </button>
              </li>
            ))}
          </ul>
        </>
      )}
      {asked.value?.about === 'new' ? <FieldDialog before={null} onClose={close} /> : null}
      {asked.value?.about === 'change' ? (
        <FieldDialog before={asked.value.field} onClose={close} />
      ) : null}
      {asked.value?.about === 'remove' ? (
        <Removal field={asked.value.field} onClose={close} />
      ) : null}
    </>
  );
}

const aboutOf = (field: ProfileField): string =>
  [
    typeName(field.type),
    field.required ? 'asked for' : '',
    field.editable_by_user ? '' : 'only administrators say it',
    field.display_in_profile_summary === true ? 'on small cards as well' : '',
  ]
    .filter(Boolean)
    .join(' · ');

interface FieldDialogProps {
  readonly before: ProfileField | null;
  readonly onClose: () => void;
}

function FieldDialog({ before, onClose }: FieldDialogProps) {
  const [form, setForm] = useState<FieldForm>(before === null ? NEW_FIELD : formOf(before));
  const set = (some: Partial<FieldForm>) => setForm({ ...form, ...some });
  const isAccount = form.type === String(FIELD.account);
  const isNamed = !isAccount || form.account === 'custom';
  const isLong = form.type === String(FIELD.longText) || form.type === String(FIELD.people);
  return (
    <Dialog title={before === null ? 'New field' : `Change ${before.name}`} onClose={onClose}>
      <Form
        submit="Save"
        isDisabled={isNamed && form.name.trim() === ''}
        onCancel={onClose}
        onSubmit={async () => {
          await saveField(isLong ? { ...form, isInSummary: false } : form, before);
          onClose();
        }}
      >
        {before === null ? (
          <Choice
            label="Kind"
            value={form.type}
            options={FIELD_TYPES}
            onChange={(type) => set({ type })}
          />
        ) : null}
        <Data form={form} set={set} />
        {isNamed ? (
          <>
            <Field
              label="Name"
              value={form.name}
              maxLength={40}
              isRequired
              onInput={(name) => set({ name })}
            />
            <Field
              label="Hint"
              value={form.hint}
              maxLength={80}
              onInput={(hint) => set({ hint })}
            />
          </>
        ) : null}
        <div>
          <Check
            label="Everybody is asked for it"
            checked={form.isRequired}
            onChange={(isRequired) => set({ isRequired })}
          />
          <Check
            label="People say it themselves"
            checked={form.isEditable}
            onChange={(isEditable) => set({ isEditable })}
          />
          {isLong ? null : (
            <Check
              label="It stands on small cards as well"
              checked={form.isInSummary}
              onChange={(isInSummary) => set({ isInSummary })}
            />
          )}
        </div>
      </Form>
    </Dialog>
  );
}

interface DataProps {
  readonly form: FieldForm;
  readonly set: (some: Partial<FieldForm>) => void;
}

/** Asks for the data that a list or an account elsewhere needs beside a name. */
function Data({ form, set }: DataProps) {
  const accounts = accountOptions(app.read('realm'));
  if (form.type === String(FIELD.options)) {
    return (
      <Field
        label="What one may choose"
        hint="One a line."
        rows={4}
        value={form.options}
        onInput={(options) => set({ options })}
      />
    );
  }
  if (form.type !== String(FIELD.account)) return null;
  return (
    <>
      <Choice
        label="Service"
        value={form.account}
        options={accounts}
        onChange={(account) => set({ account })}
      />
      {form.account === 'custom' ? (
        <Field
          label="Address of an account"
          hint="With %(username)s where the name goes."
          placeholder="https://example.com/%(username)s"
          value={form.urlPattern}
          onInput={(urlPattern) => set({ urlPattern })}
        />
      ) : null}
    </>
  );
}

interface RemovalProps {
  readonly field: ProfileField;
  readonly onClose: () => void;
}

const Removal = ({ field, onClose }: RemovalProps) => (
  <Dialog title={`Delete ${field.name}?`} onClose={onClose}>
    <Form
      submit="Delete"
      isGrave
      onCancel={onClose}
      onSubmit={async () => {
        await removeField(field.id);
        onClose();
      }}
    >
      <p>What everybody has said in it is deleted as well.</p>
    </Form>
  </Dialog>
);
