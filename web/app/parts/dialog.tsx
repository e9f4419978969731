import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Icon } from './icon.tsx';
import './style/beside-style.ts';

export interface DialogProps {
  readonly title: string;
  /** The title is read, and not shown. */
  readonly isBare?: boolean;
  readonly class?: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** A dialog over the page. The browser keeps the focus in it, and gives it back to what had it. */
export function Dialog({
  title,
  isBare = false,
  class: kind = '',
  onClose,
  children,
}: DialogProps) {
  const own = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const dialog = own.current;
    const before = document.activeElement;
    dialog?.showModal();
    return () => {
      dialog?.close();
      // An element that is taken away while it is open gives nothing back.
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it as well, which is `onCancel`.
    <dialog
      ref={own}
      class={`dialog ${kind}`}
      aria-label={title}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        if (event.target === own.current) onClose();
      }}
    >
      <div class="dialog-body">
        {isBare ? null : (
          <header>
            <h2>{title}</h2>
            <button type="button" class="icon" aria-label="Close" onClick={onClose}>
              <Icon name="close" />
            </button>
          </header>
        )}
        {children}
      </div>
    </dialog>
  );
}
