import { useRef, useState } from 'preact/hooks';
import { Icon } from '../../parts/icon.tsx';
import { OneLineForm } from './one-line-form.tsx';

export interface WidgetTitleProps {
  readonly title: string;
  readonly ifEmpty: string;
  /** The name of the title, such as `question`. */
  readonly of: string;
  /** Changes the title; undefined for everybody but the author. */
  readonly onChange?: ((title: string) => void) | undefined;
}

/** The title of a poll or a list, which its author can change. */
export function WidgetTitle({ title, ifEmpty, of, onChange }: WidgetTitleProps) {
  const [isEdited, setEdited] = useState(false);
  const own = useRef<HTMLDivElement>(null);
  const end = () => {
    setEdited(false);
    // The button is there again in the next frame.
    requestAnimationFrame(() => own.current?.querySelector('button')?.focus());
  };
  if (isEdited && onChange !== undefined) {
    return (
      <div class="widget-title" ref={own}>
        <OneLineForm
          label={`The ${of}`}
          submit="Save"
          value={title}
          isFirst
          onCancel={end}
          onSubmit={(text) => {
            if (text !== title) onChange(text);
            end();
            return false;
          }}
        />
      </div>
    );
  }
  return (
    <div class="widget-title" ref={own}>
      <strong>{title === '' ? ifEmpty : title}</strong>
      {onChange === undefined ? null : (
        <button
          type="button"
          class="icon"
          aria-label={`Change the ${of}`}
          title={`Change the ${of}`}
          onClick={() => setEdited(true)}
        >
          <Icon name="edit" />
        </button>
      )}
    </div>
  );
}
