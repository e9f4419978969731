import { app } from '../store/app.ts';
import { run } from '../store/commands.ts';
import { commandFor } from '../store/keys.ts';
import { settings } from '../store/settings.ts';

/** Does what keys say. */
export function openKeys(): void {
  addEventListener('keydown', pressed);
}

function pressed(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing || app.phase.value !== 'open') return;
  const at = event.target;
  const command = commandFor(
    {
      key: event.key,
      ctrl: event.ctrlKey || event.metaKey,
      shift: event.shiftKey,
      alt: event.altKey,
      isInField: at instanceof HTMLElement && isField(at),
      isInDialog:
        at instanceof Element && at.closest('dialog, [role=menu], [role=listbox]') !== null,
    },
    settings.value.letterKeys,
  );
  if (command !== null && run(command)) event.preventDefault();
}

const isField = (element: HTMLElement): boolean =>
  element.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(element.tagName);
