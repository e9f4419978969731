import { useState } from 'preact/hooks';
import { Dialog } from '../../parts/dialog.tsx';
import { Field, Form } from '../../parts/form.tsx';
import { moments } from '../../store/ahead/ahead.ts';
import { nowMs } from '../../store/model.ts';
import { wholeTime } from '../../store/times.ts';

export interface WhenProps {
  readonly title: string;
  /** Rejects with the refusal. */
  readonly onTake: (atMs: number) => Promise<unknown>;
  readonly onClose: () => void;
}

/** Asks for a time to come. */
export function When({ title, onTake, onClose }: WhenProps) {
  // They stay as they are while one chooses.
  const [choices] = useState(() => moments(nowMs.peek()));
  const [text, setText] = useState('');
  const [atMs, setAtMs] = useState<number | null>(null);
  return (
    <Dialog title={title} onClose={onClose}>
      <Form
        submit="Set"
        isDisabled={atMs === null}
        onCancel={onClose}
        onSubmit={async () => {
          if (atMs === null) return;
          await onTake(atMs);
          onClose();
        }}
      >
        <fieldset class="field">
          <legend>When</legend>
          {choices.map((moment) => (
            <label key={moment.label} class="check">
              <input
                type="radio"
                name="when"
                checked={text === '' && atMs === moment.atMs}
                onChange={() => {
                  setText('');
                  setAtMs(moment.atMs);
                }}
              />
              <span>
                {moment.label}
                <small class="field-hint">{wholeTime(moment.atMs)}</small>
              </span>
            </label>
          ))}
        </fieldset>
        <Field
          label="Or at another time"
          type="datetime-local"
          value={text}
          onInput={(value) => {
            setText(value);
            const at = Date.parse(value);
            setAtMs(Number.isNaN(at) ? null : at);
          }}
        />
      </Form>
    </Dialog>
  );
}
