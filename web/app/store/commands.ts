import type { Command } from './keys.ts';

type Act = () => void;

/** The acts of each command. The one that came last is the one that is done. */
const acts = new Map<Command, Act[]>();

/** A command that waits for what does it to be shown. */
let awaited: Command | null = null;

/** Does something when a command is given, until the function that is returned is called. */
export function onCommand(command: Command, act: Act): () => void {
  const known = acts.get(command) ?? [];
  acts.set(command, [...known, act]);
  if (awaited === command) {
    awaited = null;
    act();
  }
  return () => {
    acts.set(
      command,
      (acts.get(command) ?? []).filter((one) => one !== act),
    );
  };
}

/** Returns whether anything in sight does it. */
export function run(command: Command): boolean {
  const act = acts.get(command)?.at(-1);
  awaited = null;
  act?.();
  return act !== undefined;
}

/** Gives a command as soon as something comes into sight that does it. */
export function runNext(command: Command): void {
  awaited = command;
}
