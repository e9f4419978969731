import type { TokenPush } from '../../operations/notifications/push-notices.ts';
import type { Origin } from '../dispatcher.ts';
import type { Refusal } from './refusals.ts';

/**
 * The outcome of a push: `gone` means that the device is not reached by this token any more,
 * `unwanted` that the device is not told of such notices.
 */
export type Outcome = 'taken' | 'gone' | 'unwanted' | GoneSince | Refusal;

/** The device has not been reached by this token since a time, in UNIX milliseconds. */
export interface GoneSince {
  readonly goneAt: number;
}

/** Tests for the outcomes after which a device is forgotten, unless it has come again. */
export const isGone = (outcome: Outcome): outcome is 'gone' | GoneSince =>
  outcome === 'gone' || (typeof outcome === 'object' && 'goneAt' in outcome);

/** Returns the time from which on a registration stays; undefined if none does. */
export const goneAtOf = (outcome: 'gone' | GoneSince): number | undefined =>
  outcome === 'gone' ? undefined : outcome.goneAt;

/**
 * Sends one push. Throws if another attempt may succeed, and `TooEarly` if the service has said
 * when.
 */
export type Sender = (push: TokenPush, origin: Origin) => Promise<Outcome>;
