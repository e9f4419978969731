import { useState } from 'preact/hooks';
import { Dialog } from '../../parts/dialog.tsx';
import { Choice, Field, Form } from '../../parts/form.tsx';
import { app } from '../../store/app.ts';
import { createChannel, isNameTaken, type Privacy } from '../../store/channels/browse.ts';
import { listedFolders } from '../../store/channels/folders.ts';
import { navigate } from '../../store/navigation.ts';
import { channelNarrow, narrowRoute } from '../../store/route.ts';
import { PeopleField } from './people-field.tsx';
import { PrivacyChoice } from './privacy-choice.tsx';

/** As the server, which takes no longer ones. */
const NAME_LENGTH_MAX = 60;
const DESCRIPTION_LENGTH_MAX = 1_024;

/** Makes a channel, and goes there. */
export function NewChannel({ onClose }: { readonly onClose: () => void }) {
  const state = app.read('own', 'realm', 'channels', 'folders');
  const { can_create_public_streams: mayPublic } = state.facts;
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  const [privacy, setPrivacy] = useState<Privacy>(mayPublic === true ? 'public' : 'private');
  const [folderId, setFolderId] = useState<number | null>(null);
  const folders = listedFolders(state).filter(({ isArchived }) => !isArchived);
  const [userIds, setUserIds] = useState<readonly number[]>([]);
  const isTaken = isNameTaken(state, name);
  const create = async () => {
    const id = await createChannel({ name, description, privacy, folderId, userIds });
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
        <PrivacyChoice legend="Who may see it" value={privacy} now={null} onChange={setPrivacy} />
        {folders.length === 0 ? null : (
          <Choice
            label="Folder"
            value={String(folderId)}
            options={[
              ['null', 'None'],
              ...folders.map((folder) => [String(folder.id), folder.name] as const),
            ]}
            onChange={(value) => setFolderId(JSON.parse(value) as number | null)}
          />
        )}
        <PeopleField label="Who is in it, besides you" chosen={userIds} onChange={setUserIds} />
      </Form>
    </Dialog>
  );
}
