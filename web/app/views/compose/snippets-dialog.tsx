import { useEffect, useRef, useState } from 'preact/hooks';
import { Dialog } from '../../parts/dialog.tsx';
import { attempt, Field, Form } from '../../parts/form.tsx';
import { Icon } from '../../parts/icon.tsx';
import type { ComposeStore } from '../../store/compose/compose-store.ts';
import {
  deleteSnippet,
  type Snippet,
  saveSnippet,
  snippets,
  TITLE_LENGTH_MAX,
} from '../../store/compose/snippets.ts';

export interface SnippetsDialogProps {
  readonly compose: ComposeStore;
  readonly onClose: () => void;
}

/** A snippet that is written: a new one has no id. */
interface Edited {
  readonly id: number | null;
  readonly title: string;
  readonly content: string;
}

/** Texts that one keeps, to put them into messages. */
export function SnippetsDialog({ compose, onClose }: SnippetsDialogProps) {
  const [edited, setEdited] = useState<Edited | null>(null);
  if (edited !== null) {
    return (
      <Dialog title={edited.id === null ? 'New snippet' : 'Change the snippet'} onClose={onClose}>
        <SnippetForm edited={edited} onEnd={() => setEdited(null)} />
      </Dialog>
    );
  }
  return (
    <Dialog title="Snippets" onClose={onClose}>
      <SnippetList
        onTake={({ content }) => {
          onClose();
          compose.insert(content);
          requestAnimationFrame(() => compose.focus());
        }}
        onEdit={setEdited}
        onNew={() => setEdited({ id: null, title: '', content: compose.text.value })}
      />
    </Dialog>
  );
}

interface SnippetListProps {
  readonly onTake: (snippet: Snippet) => void;
  readonly onEdit: (snippet: Snippet) => void;
  readonly onNew: () => void;
}

function SnippetList({ onTake, onEdit, onNew }: SnippetListProps) {
  const [text, setText] = useState('');
  const all = snippets();
  const found = snippets(text);
  const [first] = found;
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  return (
    <div class="form">
      <div class="later-bar">
        <input
          ref={field}
          type="search"
          aria-label="Filter snippets"
          placeholder="Filter snippets"
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || first === undefined) return;
            // The focus goes back to a button, which would take the key for a click.
            event.preventDefault();
            onTake(first);
          }}
        />
        <button type="button" onClick={onNew}>
          New snippet
        </button>
      </div>
      {found.length === 0 ? (
        <p class="muted">
          {all.length === 0
            ? 'A snippet is a text that you write often. It stays here, for all your browsers.'
            : 'No snippet is like that.'}
        </p>
      ) : (
        <ul class="card-list">
          {found.map((snippet) => (
            <li key={snippet.id} class="card-row">
              <div class="card-text">
                <button type="button" class="card-name cut" onClick={() => onTake(snippet)}>
                  {snippet.title}
                </button>
                <p class="card-about cut">{snippet.content}</p>
              </div>
              <button
                type="button"
                class="icon"
                aria-label={`Change ${snippet.title}`}
                onClick={() => onEdit(snippet)}
              >
                <Icon name="edit" />
              </button>
              <button
                type="button"
                class="icon"
                aria-label={`Delete ${snippet.title}`}
                onClick={() => attempt(deleteSnippet(snippet.id))}
              >
                <Icon name="trash" />
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

interface SnippetFormProps {
  readonly edited: Edited;
  readonly onEnd: () => void;
}

function SnippetForm({ edited, onEnd }: SnippetFormProps) {
  const [title, setTitle] = useState(edited.title);
  const [content, setContent] = useState(edited.content);
  return (
    <Form
      submit="Save"
      isDisabled={title.trim() === '' || content.trim() === ''}
      onCancel={onEnd}
      onSubmit={async () => {
        await saveSnippet(edited.id, { title, content });
        onEnd();
      }}
    >
      <Field label="Title" value={title} isFirst maxLength={TITLE_LENGTH_MAX} onInput={setTitle} />
      <Field label="Text" hint="Markdown" rows={7} value={content} onInput={setContent} />
    </Form>
  );
}
