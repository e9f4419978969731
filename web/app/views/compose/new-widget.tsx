import { useState } from 'preact/hooks';
import { Dialog } from '../../parts/dialog.tsx';
import { Field, Form } from '../../parts/form.tsx';
import type { ComposeStore } from '../../store/compose/compose-store.ts';
import { commandOf } from '../../store/widgets/command.ts';
import type { WidgetKind } from '../../store/widgets/widget.ts';

const WORDS = {
  poll: {
    title: 'New poll',
    of: 'Question',
    lines: 'Options',
    hint: 'One a line. Everybody may vote, and add further ones.',
  },
  todo: {
    title: 'New to-do list',
    of: 'Title',
    lines: 'Tasks',
    hint: 'One a line; what follows a colon says more of it. Everybody may tick off and add.',
  },
} as const;

export interface NewWidgetProps {
  readonly kind: WidgetKind;
  readonly compose: ComposeStore;
  readonly onClose: () => void;
}

/** A poll or a list of tasks, which is written into the field as the command that begins it. */
export function NewWidget({ kind, compose, onClose }: NewWidgetProps) {
  const words = WORDS[kind];
  const [title, setTitle] = useState('');
  const [text, setText] = useState('');
  const isReplaced = compose.text.value.trim() !== '';
  return (
    <Dialog title={words.title} onClose={onClose}>
      <Form
        submit="Write it"
        isDisabled={title.trim() === ''}
        onCancel={onClose}
        onSubmit={async () => {
          const command = commandOf(kind, { title, lines: text.split('\n') });
          compose.setText(command);
          compose.cursor.value = command.length;
          onClose();
          // The dialog gives the focus back first.
          requestAnimationFrame(() => compose.focus());
        }}
      >
        <Field
          label={words.of}
          value={title}
          isFirst
          maxLength={TITLE_LENGTH_MAX}
          onInput={setTitle}
        />
        <Field label={words.lines} hint={words.hint} rows={5} value={text} onInput={setText} />
        {isReplaced ? (
          <p class="muted">It takes the place of what stands in the field now.</p>
        ) : null}
      </Form>
    </Dialog>
  );
}

/** As long as a title is shown well. */
const TITLE_LENGTH_MAX = 400;
