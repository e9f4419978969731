import { snapshotOf } from '../../../client/src/store/snapshot-of.ts';
import { APPLIED_KINDS, State } from '../../../client/src/store/state.ts';
import { kindOf } from '../../../src/events/events.ts';
import type { WireEvent } from '../client.ts';
import { FORMER_KINDS, keepFormer } from './former-forms.ts';
import type { Snapshot } from './snapshot.ts';

/** A register reply that a client of the tests keeps up to date by events. */
export interface KeptState {
  /** Throws for an event that does not fit, or that no client knows. */
  apply(event: WireEvent): void;
  /** Returns it as a register reply. */
  snapshot(): Snapshot;
}

export function keepState(registered: object): KeptState {
  // A register reply of a test is untyped.
  const snapshot = registered as ConstructorParameters<typeof State>[0] & Snapshot;
  const state = new State(snapshot, {
    onMismatch(message) {
      throw new Error(message);
    },
  });
  const former = keepFormer(snapshot);
  return {
    apply(event) {
      if (!appliedKinds().includes(kindOf(event))) {
        throw new Error(`no client knows what to do with ${kindOf(event)}`);
      }
      if (!former.apply(event)) state.apply(event);
    },
    snapshot: () => ({ ...(snapshotOf(state) as unknown as Snapshot), ...former.fields() }),
  };
}

/** The events that a client knows how to apply, by type or type and operation. */
export const appliedKinds = (): string[] => [...APPLIED_KINDS, ...FORMER_KINDS, ...IN_NO_SNAPSHOT];

/** A snapshot holds nothing of files and exports: a client asks for the lists. */
const IN_NO_SNAPSHOT: readonly string[] = [
  'attachment add',
  'attachment remove',
  'attachment update',
  'heartbeat',
  'invites_changed',
  'reaction add',
  'reaction remove',
  // A client logs out; nothing comes after it.
  'realm deactivated',
  'realm_export',
  'realm_export_consent',
  'submessage',
  'typing_edit_message start',
  'typing_edit_message stop',
];
