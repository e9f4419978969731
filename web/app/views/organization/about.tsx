import { useState } from 'preact/hooks';
import { attempt, Field, Form } from '../../parts/form.tsx';
import { Panel } from '../../parts/pages/panel.tsx';
import { PictureInput } from '../../parts/pages/picture-input.tsx';
import { isAdministrator } from '../../store/account/rights.ts';
import { app } from '../../store/app.ts';
import { say } from '../../store/notices.ts';
import {
  changeRealm,
  type RealmPicture,
  removeRealmPicture,
  setRealmPicture,
} from '../../store/organization/organization.ts';
import { ownPath } from '../../store/organization/own-path.ts';

/** Shows what the organization is called, and its pictures. */
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
      <Picture which="icon" title="Icon" hint="A square, beside the name of the organization." />
      <Picture which="logo" title="Logo" hint="Wide, on light ground; other clients show it." />
      <Picture which="night-logo" title="Logo on dark ground" hint="Wide, for dark colours." />
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
    <Panel title="Name">
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
    </Panel>
  );
}

interface PictureProps {
  readonly which: RealmPicture;
  readonly title: string;
  readonly hint: string;
}

function Picture({ which, title, hint }: PictureProps) {
  const { facts } = app.read('realm');
  const { url, isUploaded, mibMax } = shownOf(which, facts);
  const isIcon = which === 'icon';
  return (
    <Panel title={title}>
      <div class="later-row near">
        {url === undefined ? null : (
          <img
            class={isIcon ? 'realm-icon' : `realm-logo ${which}`}
            src={url}
            alt={`${title} of ${facts.realm_name ?? ''}`}
          />
        )}
        <PictureInput
          label={isUploaded ? 'Choose another picture' : 'Choose a picture'}
          hint={`${hint} It has at most ${mibMax} MiB.`}
          mibMax={mibMax}
          onTake={async (file) => {
            await setRealmPicture(which, file, file.name);
            say(`${title}: it is changed.`);
          }}
        />
        {isUploaded ? (
          <button type="button" onClick={() => attempt(removeRealmPicture(which))}>
            Take it away
          </button>
        ) : null}
      </div>
    </Panel>
  );
}

/** As servers that do not say it. */
const MIB_MAX = 5;

function shownOf(which: RealmPicture, facts: ReturnType<typeof app.read>['facts']) {
  const { url, isUploaded, mibMax } = pictureOf(which, facts);
  return {
    url: url === undefined ? undefined : ownPath(url, facts.realm_url),
    isUploaded,
    mibMax: mibMax ?? MIB_MAX,
  };
}

function pictureOf(which: RealmPicture, facts: ReturnType<typeof app.read>['facts']) {
  switch (which) {
    case 'icon':
      return {
        url: facts.realm_icon_url,
        isUploaded: facts.realm_icon_source === 'U',
        mibMax: facts.max_icon_file_size_mib,
      };
    case 'logo':
      return {
        url: facts.realm_logo_source === 'U' ? facts.realm_logo_url : undefined,
        isUploaded: facts.realm_logo_source === 'U',
        mibMax: facts.max_logo_file_size_mib,
      };
    case 'night-logo':
      return {
        url: facts.realm_night_logo_source === 'U' ? facts.realm_night_logo_url : undefined,
        isUploaded: facts.realm_night_logo_source === 'U',
        mibMax: facts.max_logo_file_size_mib,
      };
  }
}
