import { KeptChoice, KeptText, Outcomes, useKept } from '../../parts/pages/kept.tsx';
import { Panel } from '../../parts/pages/panel.tsx';
import {
  accountUrl,
  FIELD,
  type OwnField,
  ownFields,
  peopleIn,
  setField,
} from '../../store/account/profile.ts';
import { app } from '../../store/app.ts';
import { personOf } from '../../store/model.ts';
import { PeopleField } from '../channels/people-field.tsx';

/** The fields that the organization has for profiles, with one's own values. */
export function ProfileFields() {
  const fields = ownFields(app.read('profileFields', 'users', 'own', 'realm'));
  if (fields.length === 0) return null;
  return (
    <Panel title="Profile" hint="Others see it on your card.">
      <div class="form">
        {fields.map((field) =>
          field.isEditable ? (
            <Editor key={field.id} field={field} />
          ) : (
            <Fixed key={field.id} field={field} />
          ),
        )}
      </div>
    </Panel>
  );
}

interface FieldProps {
  readonly field: OwnField;
}

const Fixed = ({ field }: FieldProps) => (
  <div class="field">
    <strong>{field.name}</strong>
    <p>{wordsOf(field)}</p>
    <small class="field-hint">Administrators say this.</small>
  </div>
);

function wordsOf(field: OwnField): string {
  if (field.value === '') return 'Nothing is said.';
  if (field.type === FIELD.people) {
    return peopleIn(field)
      .map((id) => personOf(id).name)
      .join(', ');
  }
  return field.options.find(([value]) => value === field.value)?.[1] ?? field.value;
}

/** As the server bounds them. */
const SHORT_LENGTH_MAX = 50;
const LONG_LENGTH_MAX = 500;
const URL_LENGTH_MAX = 2_000;

function Editor({ field }: FieldProps) {
  const { id, name, hint, type, value, options, isRequired } = field;
  const words = {
    label: isRequired ? `${name} (the organization asks for it)` : name,
    ...(hint === '' ? {} : { hint }),
    value,
    onKeep: (wanted: string) => setField(id, wanted),
  };
  switch (type) {
    case FIELD.longText:
      return <KeptText {...words} rows={3} maxLength={LONG_LENGTH_MAX} />;
    case FIELD.options:
      return <KeptChoice {...words} options={[['', 'Nothing'], ...options]} />;
    case FIELD.date:
      return <KeptText {...words} type="date" />;
    case FIELD.link:
      return <KeptText {...words} type="url" placeholder="https://" maxLength={URL_LENGTH_MAX} />;
    case FIELD.people:
      return <People field={field} />;
    case FIELD.account:
      return <Account field={field} words={words} />;
    default:
      return <KeptText {...words} maxLength={SHORT_LENGTH_MAX} />;
  }
}

function People({ field }: FieldProps) {
  const { shown, outcome, set } = useKept<string>(field.value, (wanted) =>
    setField(field.id, peopleIn({ value: wanted })),
  );
  return (
    <div>
      <PeopleField
        label={field.name}
        chosen={peopleIn({ value: shown })}
        onChange={(ids) => void set(JSON.stringify(ids))}
      />
      {field.hint === '' ? null : <small class="field-hint">{field.hint}</small>}
      <Outcomes outcome={outcome} />
    </div>
  );
}

interface AccountProps extends FieldProps {
  readonly words: Parameters<typeof KeptText>[0];
}

function Account({ field, words }: AccountProps) {
  const url = accountUrl(field);
  return (
    <div>
      <KeptText {...words} maxLength={SHORT_LENGTH_MAX} />
      {url === null ? null : (
        <small class="field-hint">
          It leads to{' '}
          <a href={url} target="_blank" rel="noreferrer">
            {url}
          </a>
        </small>
      )}
    </div>
  );
}
