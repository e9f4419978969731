import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';

interface DialogProps {
  readonly title: string;
  readonly children: ComponentChildren;
  /** Called when it is closed, however that happens. */
  readonly onClose: () => void;
  /** Called when the form is sent; without it there is only a button to close. */
  readonly onSubmit?: (fields: Readonly<Record<string, string>>) => void;
  readonly submit?: string;
  readonly isGrave?: boolean;
}

/** A dialog of the browser's own: it keeps the focus within, and gives it back. */
export function Dialog({ title, children, onClose, onSubmit, submit, isGrave }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    if (ref.current?.open === false) ref.current.showModal();
  }, []);
  return (
    <dialog ref={ref} aria-labelledby={id} onClose={onClose}>
      <form
        method="dialog"
        onSubmit={(event) => {
          onSubmit?.(fieldsOf(event.currentTarget));
        }}
      >
        <h2 id={id}>{title}</h2>
        {children}
        <div class="buttons">
          {onSubmit === undefined ? null : (
            <button type="submit" class={isGrave ? 'grave' : 'first'}>
              {submit}
            </button>
          )}
          <button type="button" onClick={() => ref.current?.close()}>
            {onSubmit === undefined ? 'Close' : 'Cancel'}
          </button>
        </div>
      </form>
    </dialog>
  );
}

const fieldsOf = (form: HTMLFormElement): Readonly<Record<string, string>> =>
  Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value)]));
