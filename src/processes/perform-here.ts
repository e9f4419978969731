import type { Outcome } from './perform-apart.ts';

/**
 * Performs the one task of this process, which `performApart` has started, and reports how it went.
 * The process ends when its parent has gone: nobody would read the outcome.
 */
export function performHere<Task>(perform: (task: Task) => Promise<void>): void {
  process.on('disconnect', () => process.exit(0));
  // A terminal sends these signals to all processes; the end of the parent is noticed as above.
  for (const name of ['SIGINT', 'SIGHUP', 'SIGTERM'] as const) process.on(name, () => undefined);
  process.once('message', (task) => {
    // The parent sends nothing else.
    void outcomeOf(perform(task as Task)).then((outcome) => {
      process.send?.(outcome, () => process.disconnect());
    });
  });
}

const outcomeOf = (performed: Promise<void>): Promise<Outcome> =>
  performed.then(
    () => ({ fault: null }),
    (error: Error) => ({ fault: error.message }),
  );
