import { useState } from 'preact/hooks';
import { Dialog } from '../../parts/dialog.tsx';
import { Choice, Field, Form } from '../../parts/form.tsx';
import { REASON_LENGTH_MAX, REASONS, type Reason, report } from '../../store/messages/readers.ts';
import { say } from '../../store/notices.ts';
import type { AboutMessage } from './readers-dialog.tsx';

/** Tells the moderators of a message. */
export function ReportDialog({ message, onClose }: AboutMessage) {
  const [reason, setReason] = useState<Reason>('spam');
  const [text, setText] = useState('');
  const isOther = reason === 'other';
  return (
    <Dialog title={`Report the message of ${message.sender_full_name}`} onClose={onClose}>
      <Form
        submit="Report"
        isDisabled={isOther && text.trim() === ''}
        onCancel={onClose}
        onSubmit={async () => {
          await report(message.id, reason, text);
          onClose();
          say('The moderators have been told.');
        }}
      >
        <Choice
          label="What is wrong with it"
          value={reason}
          options={REASONS}
          onChange={(value) => setReason(REASONS.find(([one]) => one === value)?.[0] ?? 'other')}
        />
        <Field
          label={isOther ? 'What the moderators should know' : 'More about it (may be empty)'}
          hint="The moderators see it with the message, and who reported it."
          rows={4}
          maxLength={REASON_LENGTH_MAX}
          value={text}
          onInput={setText}
        />
      </Form>
    </Dialog>
  );
}
