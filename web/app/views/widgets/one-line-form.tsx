import { useLayoutEffect, useRef, useState } from 'preact/hooks';

export interface OneLineFormProps {
  readonly label: string;
  readonly submit: string;
  /** A text to begin with, which is chosen as a whole. */
  readonly value?: string;
  readonly isFirst?: boolean;
  /** Returns whether the text is taken, so that the field can be emptied. */
  readonly onSubmit: (text: string) => boolean;
  readonly onCancel?: () => void;
}

/** With the names of its fields, a submessage has at most 1,000 characters. */
const TEXT_LENGTH_MAX = 400;

/** A field with a button, for a text of one line. */
export function OneLineForm(props: OneLineFormProps) {
  const { label, submit, value = '', isFirst = false, onSubmit, onCancel } = props;
  const [text, setText] = useState(value);
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    if (isFirst) field.current?.select();
  }, []);
  return (
    <form
      class="one-line"
      onSubmit={(event) => {
        event.preventDefault();
        // A key may be pressed before the last letter is rendered.
        const typed = field.current?.value.trim() ?? '';
        if (typed !== '' && onSubmit(typed)) setText('');
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || onCancel === undefined) return;
        event.stopPropagation();
        onCancel();
      }}
    >
      <input
        ref={field}
        aria-label={label}
        placeholder={label}
        maxLength={TEXT_LENGTH_MAX}
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
      <button type="submit">{submit}</button>
      {onCancel === undefined ? null : (
        <button type="button" class="quiet" onClick={onCancel}>
          Cancel
        </button>
      )}
    </form>
  );
}
