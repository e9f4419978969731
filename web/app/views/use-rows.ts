import { useRef } from 'preact/hooks';
import { useCommand } from '../parts/use-command.ts';

/** Lets the keys for messages go through the rows of a list. */
export function useRows() {
  const list = useRef<HTMLDivElement>(null);
  const go = (next: (at: number, count: number) => number) => () => {
    const links = [...(list.current?.querySelectorAll<HTMLElement>('.entry-link') ?? [])];
    const at = links.indexOf(document.activeElement as HTMLElement);
    links[Math.min(Math.max(0, next(at, links.length)), links.length - 1)]?.focus();
  };
  useCommand(
    'message-down',
    go((at) => at + 1),
  );
  useCommand(
    'message-up',
    go((at, count) => (at < 0 ? count - 1 : at - 1)),
  );
  useCommand(
    'message-first',
    go(() => 0),
  );
  useCommand(
    'message-last',
    go((_, count) => count - 1),
  );
  return list;
}
