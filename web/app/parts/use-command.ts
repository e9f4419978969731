import { useEffect, useRef } from 'preact/hooks';
import { onCommand } from '../store/commands.ts';
import type { Command } from '../store/keys.ts';

/** Does something when a command is given while the component is shown. */
export function useCommand(command: Command, act: () => void): void {
  const latest = useRef(act);
  latest.current = act;
  useEffect(() => onCommand(command, () => latest.current()), [command]);
}
