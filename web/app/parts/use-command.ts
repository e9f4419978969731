import { useLayoutEffect, useRef } from 'preact/hooks';
import { onCommand } from '../store/commands.ts';
import type { Command } from '../store/keys.ts';

/** Does something when a command is given while the component is shown. */
export function useCommand(command: Command, act: () => void): void {
  const latest = useRef(act);
  latest.current = act;
  // It is heard as soon as the component is there: a key may be pressed before the next drawing.
  useLayoutEffect(() => onCommand(command, () => latest.current()), [command]);
}
