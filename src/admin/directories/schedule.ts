import type { Clock } from '../../../actors/clock.ts';
import type { Realms } from '../deployment.ts';
import { type Synced, syncDirectory } from './sync.ts';

export interface SyncSchedule {
  /** Gives up a sync that is under way, and begins no other. */
  stop(): void;
}

interface ScheduleInput {
  readonly clock: Clock;
  readonly onSynced: (synced: Synced) => void;
  readonly onBug: (error: unknown) => void;
}

/** Has accounts follow each directory, as often as its entry says; null: no entry says it. */
export function scheduleSyncs(
  realms: Realms,
  { clock, onSynced, onBug }: ScheduleInput,
): SyncSchedule | null {
  const stopping = new AbortController();
  const timers = new Map<string, unknown>();
  for (const entry of realms.settings.signIn) {
    if (entry.type !== 'ldap' || entry.sync_minutes === 0) continue;
    const wait = () => {
      if (stopping.signal.aborted) return;
      timers.set(entry.name, clock.setTimeout(look, entry.sync_minutes * 60_000));
    };
    const look = () =>
      void syncDirectory(realms, entry, { isDry: false, signal: stopping.signal })
        .then((synced) => {
          if (!stopping.signal.aborted) for (const one of synced) onSynced(one);
        }, onBugUnlessStopped)
        .then(wait);
    wait();
  }
  function onBugUnlessStopped(error: unknown) {
    if (!stopping.signal.aborted) onBug(error);
  }
  if (timers.size === 0) return null;
  return {
    stop() {
      stopping.abort(new Error('the server stops'));
      for (const timer of timers.values()) clock.clearTimeout(timer);
    },
  };
}
