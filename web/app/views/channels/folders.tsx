import { useEffect, useRef, useState } from 'preact/hooks';
import { Dialog } from '../../parts/dialog.tsx';
import { attempt, Field, Form } from '../../parts/form.tsx';
import { Icon } from '../../parts/icon.tsx';
import { app } from '../../store/app.ts';
import {
  changeFolder,
  createFolder,
  type ListedFolder,
  listedFolders,
  moveFolder,
} from '../../store/channels/folders.ts';
import './style.ts';

/** The folders of channels: administrators make, name, order and archive them. */
export function Folders({ onClose }: { readonly onClose: () => void }) {
  const folders = listedFolders(app.read('folders', 'channels'));
  const [editedId, setEditedId] = useState<number | null>(null);
  const [lastEditedId, setLastEditedId] = useState<number | null>(null);
  const open = folders.filter(({ isArchived }) => !isArchived);
  return (
    <Dialog title="Folders of channels" class="wide" onClose={onClose}>
      <p class="later-lead muted">
        The left column shows channels by folder. A channel is put into one by its settings.
      </p>
      {folders.length === 0 ? null : (
        <ul class="card-list folders">
          {folders.map((folder) =>
            folder.id === editedId ? (
              <li key={folder.id} class="card-row">
                <Rename folder={folder} onClose={() => setEditedId(null)} />
              </li>
            ) : (
              <FolderRow
                key={folder.id}
                folder={folder}
                at={open.indexOf(folder)}
                count={open.length}
                hasFocus={folder.id === lastEditedId}
                onRename={() => {
                  setEditedId(folder.id);
                  setLastEditedId(folder.id);
                }}
              />
            ),
          )}
        </ul>
      )}
      <New />
    </Dialog>
  );
}

interface FolderRowProps {
  readonly folder: ListedFolder;
  /** Its place among those that are shown; negative if it is in the archive. */
  readonly at: number;
  readonly count: number;
  /** True if it was renamed a moment ago, so that the focus comes back to its button. */
  readonly hasFocus: boolean;
  readonly onRename: () => void;
}

function FolderRow(props: FolderRowProps) {
  const { folder } = props;
  const { id, name, description, isArchived, channels } = folder;
  const words = channels === 1 ? '1 channel' : `${channels} channels`;
  return (
    <li class="card-row">
      <div class="card-text">
        <p class="card-name cut">{name}</p>
        <p class="card-about cut">
          {isArchived ? 'In the archive' : words}
          {description === '' ? '' : ` · ${description}`}
        </p>
      </div>
      {isArchived ? (
        <button
          type="button"
          class="card-act"
          aria-label={`Bring back ${name}`}
          onClick={() => attempt(changeFolder(id, { is_archived: false }))}
        >
          Bring back
        </button>
      ) : (
        <FolderActs {...props} />
      )}
    </li>
  );
}

function FolderActs({ folder, at, count, hasFocus, onRename }: FolderRowProps) {
  const { id, name, channels } = folder;
  const rename = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (hasFocus) rename.current?.focus();
  }, []);
  return (
    <>
      <button
        type="button"
        class="icon up"
        aria-label={`Move ${name} up`}
        // It keeps the focus when the folder has arrived at the end.
        aria-disabled={at === 0}
        onClick={() => attempt(moveFolder(id, -1))}
      >
        <Icon name="chevron" />
      </button>
      <button
        type="button"
        class="icon down"
        aria-label={`Move ${name} down`}
        aria-disabled={at === count - 1}
        onClick={() => attempt(moveFolder(id, 1))}
      >
        <Icon name="chevron" />
      </button>
      <button
        ref={rename}
        type="button"
        class="icon"
        aria-label={`Rename ${name}`}
        onClick={onRename}
      >
        <Icon name="edit" />
      </button>
      <button
        type="button"
        class="card-act"
        aria-label={`Archive ${name}`}
        disabled={channels > 0}
        title={channels > 0 ? 'Take its channels out first.' : undefined}
        onClick={() => attempt(changeFolder(id, { is_archived: true }))}
      >
        Archive
      </button>
    </>
  );
}

interface RenameProps {
  readonly folder: ListedFolder;
  readonly onClose: () => void;
}

function Rename({ folder, onClose }: RenameProps) {
  const [name, setName] = useState(folder.name);
  const [description, setDescription] = useState(folder.description);
  const isSame = name.trim() === folder.name && description.trim() === folder.description;
  return (
    <Form
      submit="Save"
      isDisabled={isSame || name.trim() === ''}
      onCancel={onClose}
      onSubmit={async () => {
        await changeFolder(folder.id, {
          ...(name.trim() === folder.name ? {} : { name: name.trim() }),
          description: description.trim(),
        });
        onClose();
      }}
    >
      <Fields
        isFirst
        name={name}
        description={description}
        onName={setName}
        onDescription={setDescription}
      />
    </Form>
  );
}

function New() {
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  return (
    <section class="later-section">
      <h3>New folder</h3>
      <Form
        submit="Make the folder"
        isDisabled={name.trim() === ''}
        onSubmit={async () => {
          await createFolder(name, description);
          setName('');
          setDescription('');
        }}
      >
        <Fields
          name={name}
          description={description}
          onName={setName}
          onDescription={setDescription}
        />
      </Form>
    </section>
  );
}

interface FieldsProps {
  readonly name: string;
  readonly description: string;
  readonly isFirst?: boolean;
  readonly onName: (name: string) => void;
  readonly onDescription: (description: string) => void;
}

function Fields({ name, description, isFirst = false, onName, onDescription }: FieldsProps) {
  const {
    max_channel_folder_name_length: nameMax = 100,
    max_channel_folder_description_length: textMax = 1_024,
  } = app.read('server').facts;
  return (
    <>
      <Field
        label="Name of the folder"
        value={name}
        maxLength={nameMax}
        isFirst={isFirst}
        onInput={onName}
      />
      <Field
        label="What is in it"
        value={description}
        maxLength={textMax}
        onInput={onDescription}
      />
    </>
  );
}
