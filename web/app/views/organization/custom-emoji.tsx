import { useState } from 'preact/hooks';
import { attempt, Field, Form } from '../../parts/form.tsx';
import { Panel } from '../../parts/pages/panel.tsx';
import { PictureInput } from '../../parts/pages/picture-input.tsx';
import { isAdministrator } from '../../store/account/rights.ts';
import { app } from '../../store/app.ts';
import { personOf } from '../../store/model.ts';
import { say } from '../../store/notices.ts';
import { addEmoji, addedEmoji, emojiNameOf, removeEmoji } from '../../store/organization/emoji.ts';
import { Empty } from '../empty.tsx';

/** As the server takes them. */
const MIB_MAX = 5;

/** The emoji of the organization itself. */
export function CustomEmoji() {
  const state = app.read('emoji', 'own', 'users');
  const all = addedEmoji(state);
  const isAdmin = isAdministrator(state);
  return (
    <>
      <Adding />
      {all.length === 0 ? (
        <Empty icon="smile" title="No emoji of your own yet">
          <p>Add a picture, and everybody writes and reacts with it by its name.</p>
        </Empty>
      ) : (
        <ul class="card-list">
          {all.map(({ id, name, url, authorId }) => (
            <li key={id} class="card-row">
              <img class="emoji-picture" src={url} alt="" width="32" height="32" loading="lazy" />
              <div class="card-text">
                <span class="card-name cut">:{name}:</span>
                <p class="card-about">
                  {authorId === null ? '' : `added by ${personOf(authorId).name}`}
                </p>
              </div>
              {isAdmin || authorId === state.ownId ? (
                <button
                  type="button"
                  class="card-act"
                  aria-label={`Take away :${name}:`}
                  onClick={() => attempt(removeEmoji(name), `:${name}: is taken away.`)}
                >
                  Take away
                </button>
              ) : null}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function Adding() {
  const [file, setFile] = useState<File | null>(null);
  const [name, setName] = useState('');
  return (
    <Panel title="Add an emoji">
      <Form
        submit="Add"
        isDisabled={file === null || name.trim() === ''}
        onSubmit={async () => {
          if (file === null) return;
          await addEmoji(name, file, file.name);
          say(`:${name.trim()}: is there.`);
          setFile(null);
          setName('');
        }}
      >
        <PictureInput
          label={file === null ? 'Picture' : `Picture: ${file.name}`}
          hint={`It may move. It has at most ${MIB_MAX} MiB.`}
          mibMax={MIB_MAX}
          onTake={async (taken) => {
            setFile(taken);
            if (name === '') setName(emojiNameOf(taken.name));
          }}
        />
        <Field
          label="Name"
          hint="Small letters, digits, - and _. Messages have it between colons."
          value={name}
          onInput={setName}
        />
      </Form>
    </Panel>
  );
}
