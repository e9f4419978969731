import { useState } from 'preact/hooks';
import { Dialog } from '../../parts/dialog.tsx';
import { Field, Form } from '../../parts/form.tsx';
import { app } from '../../store/app.ts';
import { createChannel, isNameTaken } from '../../store/channels/browse.ts';
import { navigate } from '../../store/navigation.ts';
import { channelNarrow, narrowRoute } from '../../store/route.ts';
import { PeopleField } from './people-field.tsx';

/** As the server, which takes no longer ones. */
const NAME_LENGTH_MAX = 60;
const DESCRIPTION_LENGTH_MAX = 1_024;

/** Makes a channel, and goes there. */
export function NewChannel({ onClose }: { readonly onClose: () => void }) {
  const state = app.read('own', 'realm', 'channels');
  const { can_create_public_streams: mayPublic, can_create_private_streams: mayPrivate } =
    state.facts;
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  const [isPrivate, setPrivate] = useState(mayPublic !== true);
  const [userIds, setUserIds] = useState<readonly number[]>([]);
  const isTaken = isNameTaken(state, name);
  const create = async () => {
    const id = await createChannel({ name, description, isPrivate, userIds });
    onClose();
    if (id !== null) navigate(narrowRoute(channelNarrow(id)));
  };
  return (
    <Dialog title="New channel" onClose={onClose}>
      <Form
        submit="Create channel"
        isDisabled={name.trim() === '' || isTaken}
        onSubmit={create}
        onCancel={onClose}
      >
        <Field
          label="Name"
          value={name}
          maxLength={NAME_LENGTH_MAX}
          isRequired
          isFirst
          {...(isTaken ? { hint: 'A channel of this name is there already.' } : {})}
          onInput={setName}
        />
        <Field
          label="What it is about"
          value={description}
          maxLength={DESCRIPTION_LENGTH_MAX}
          rows={2}
          onInput={setDescription}
        />
        <fieldset class="field">
          <legend>Who may see it</legend>
          <label class="check">
            <input
              type="radio"
              name="privacy"
              checked={!isPrivate}
              disabled={mayPublic !== true}
              onChange={() => setPrivate(false)}
            />
            <span>
              Open
              <small class="field-hint">All members find it, read it and join it.</small>
            </span>
          </label>
          <label class="check">
            <input
              type="radio"
              name="privacy"
              checked={isPrivate}
              disabled={mayPrivate !== true}
              onChange={() => setPrivate(true)}
            />
            <span>
              Private
              <small class="field-hint">Only those who were added know of it.</small>
            </span>
          </label>
        </fieldset>
        <PeopleField label="Who is in it, besides you" chosen={userIds} onChange={setUserIds} />
      </Form>
    </Dialog>
  );
}
