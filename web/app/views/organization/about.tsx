import { useState } from 'preact/hooks';
import { attempt, Field, Form, Switch } from '../../parts/form.tsx';
import { isAdministrator } from '../../store/account/rights.ts';
import { app } from '../../store/app.ts';
import { realm } from '../../store/model.ts';
import { say } from '../../store/notices.ts';
import {
  changeRealm,
  isRealmOn,
  REALM_TOGGLES,
  removeIcon,
  setIcon,
  setRealmToggle,
} from '../../store/organization/organization.ts';

/** Shows the name of the organization, and says who may come in. */
export function About() {
  const state = app.read('realm', 'own');
  const { facts } = state;
  if (!isAdministrator(state)) {
    return (
      <section class="panel">
        <h2>{facts.realm_name}</h2>
        <p>{facts.realm_description}</p>
      </section>
    );
  }
  return (
    <div class="form">
      <Names key={`${facts.realm_name} ${facts.realm_description}`} />
      <Icon />
      <section class="panel">
        <h2>Who comes in</h2>
        {REALM_TOGGLES.map(([name, label]) => (
          <Switch
            key={name}
            label={label}
            checked={isRealmOn(name)}
            onChange={(wanted) => setRealmToggle(name, wanted)}
          />
        ))}
      </section>
    </div>
  );
}

function Names() {
  const { facts } = app.read('realm');
  const before = { name: facts.realm_name ?? '', description: facts.realm_description ?? '' };
  const [name, setName] = useState(before.name);
  const [description, setDescription] = useState(before.description);
  const isSame = name.trim() === before.name && description.trim() === before.description;
  return (
    <section class="panel">
      <h2>Name</h2>
      <Form
        submit="Save"
        isDisabled={isSame || name.trim() === ''}
        onSubmit={async () => {
          await changeRealm({
            ...(name.trim() === before.name ? {} : { name: name.trim() }),
            ...(description.trim() === before.description
              ? {}
              : { description: description.trim() }),
          });
          say('The organization is changed.');
        }}
      >
        <Field label="Name of the organization" value={name} onInput={setName} />
        <Field
          label="Description"
          hint="Those who are invited read it before they join."
          rows={3}
          value={description}
          onInput={setDescription}
        />
      </Form>
    </section>
  );
}

function Icon() {
  const { iconUrl, name } = realm.value;
  const isUploaded = app.read('realm').facts.realm_icon_source === 'U';
  return (
    <section class="panel">
      <h2>Icon</h2>
      <div class="later-row near">
        {iconUrl === null ? null : (
          <img class="realm-icon" src={iconUrl} alt={`Icon of ${name}`} width="32" height="32" />
        )}
        <label class="field">
          <span class="unseen">A picture for the icon</span>
          <input
            type="file"
            accept="image/*"
            onChange={({ currentTarget }) => {
              const file = currentTarget.files?.[0];
              currentTarget.value = '';
              if (file !== undefined) attempt(setIcon(file, file.name), 'The icon is changed.');
            }}
          />
        </label>
        {isUploaded ? (
          <button type="button" onClick={() => attempt(removeIcon())}>
            Take it away
          </button>
        ) : null}
      </div>
    </section>
  );
}
