import type { Realm } from '../../../actors/realm/realm-handle.ts';
import type { SchedulerInput } from '../../../actors/realm/scheduler.ts';
import { SPACE_LOOK_MS } from '../../domain/limits/disk.ts';
import * as errors from '../../domain/wire/errors.ts';
import type { Site } from '../../operations/access/caller.ts';
import type * as outbox from '../../operations/access/outbox.ts';
import * as jobs from '../../operations/registration/jobs.ts';
import type { DeploymentInput } from './input.ts';
import type { Names } from './names.ts';

interface SchedulerOf {
  /** The id of this run of the server. */
  readonly run: string;
  readonly siteOf: (reader: Names) => Site;
  readonly realm: () => Realm;
}

export function schedulerOf(
  input: Pick<DeploymentInput, 'deliver' | 'onBug' | 'space' | 'clock' | 'settings'>,
  { run, siteOf, realm }: SchedulerOf,
): SchedulerInput {
  const { deliver, onBug, space, clock } = input;
  const { auditDays } = input.settings;
  if (deliver === null) return IDLE;
  const isShort = () => space.isShort();
  return {
    nextAt(reader) {
      const at = jobs.nextAt(reader, { isShort: isShort(), auditDays });
      // Nothing wakes the jobs that wait for space, so the realm asks again.
      return isShort() ? Math.min(at ?? NEVER, clock.now() + SPACE_LOOK_MS) : at;
    },
    due: (reader, now, kinds) =>
      jobs.due(reader, { now, site: siteOf(reader), run, isShort: isShort() }, kinds),
    noteFailure(error) {
      if (!(error instanceof errors.ApiError)) onBug(error);
    },
    deliver(entries) {
      const origin = realm();
      // The jobs of `due` return entries.
      deliver(entries as readonly outbox.Entry[], { realm: origin, site: siteOf(origin.reader) });
    },
  };
}

const NEVER = Number.POSITIVE_INFINITY;

const IDLE: SchedulerInput = {
  nextAt: () => undefined,
  due: () => [],
  noteFailure: () => undefined,
  deliver: () => undefined,
};
