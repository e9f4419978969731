import { writing } from '../../store/compose/writing.ts';
import { NewWidget } from './new-widget.tsx';
import { SnippetsDialog } from './snippets-dialog.tsx';

export interface WritingPanelProps {
  readonly act: 'poll' | 'todo' | 'snippets';
  readonly onClose: () => void;
}

/** A dialog for something that is put into the field for messages. */
export function WritingPanel({ act, onClose }: WritingPanelProps) {
  const compose = writing.value;
  if (compose === null) return null;
  return act === 'snippets' ? (
    <SnippetsDialog compose={compose} onClose={onClose} />
  ) : (
    <NewWidget kind={act} compose={compose} onClose={onClose} />
  );
}
