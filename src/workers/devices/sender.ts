import type { TokenPush } from '../../operations/notifications/push-notices.ts';
import type { Origin } from '../dispatcher.ts';
import type { Refusal } from './refusals.ts';

/**
 * The outcome of a push: `gone` means that the device is not reached by this token any more,
 * `unwanted` that the device is not told of such notices.
 */
export type Outcome = 'taken' | 'gone' | 'unwanted' | Refusal;

/**
 * Sends one push. Throws if another attempt may succeed, and `TooEarly` if the service has said
 * when.
 */
export type Sender = (push: TokenPush, origin: Origin) => Promise<Outcome>;
