import type { Writers } from '../transaction.ts';
import { addNotificationBot } from './0002-notification-bot.ts';
import { listFlagHolders } from './0003-flag-holders.ts';
import { countParticipants } from './0004-topic-participants.ts';
import { listFormerSubscribers } from './0005-former-subscribers.ts';
import { makeSecrets } from './0006-secrets.ts';
import { listWaitingMembers } from './0007-waiting-members.ts';
import { listPushListeners } from './0008-push-listeners.ts';
import { listKeyOwners } from './0009-key-owners.ts';
import { listAttachmentPlaces } from './0010-attachment-places.ts';
import { listOldestMessages } from './0011-oldest-messages.ts';
import { listMailListeners } from './0012-mail-listeners.ts';
import { timeActivity } from './0013-active-channels.ts';
import { fillContentIndex } from './0014-content-index.ts';
import { listDirectMessages } from './0015-user-direct-messages.ts';
import { planTrafficCounts } from './0016-traffic-counts.ts';
import { forgetIndex } from './0017-search-anew.ts';
import { readBoth } from './0018-listed-messages.ts';
import { readFlagsOfBoth } from './0019-flags-of-many.ts';

/** By the schema version that each leads to; run in order, each in a transaction of its own. */
export const MIGRATIONS: ReadonlyMap<number, (tables: Writers) => void> = new Map([
  [2, addNotificationBot],
  [3, listFlagHolders],
  [4, countParticipants],
  [5, listFormerSubscribers],
  [6, makeSecrets],
  [7, listWaitingMembers],
  [8, listPushListeners],
  [9, listKeyOwners],
  [10, listAttachmentPlaces],
  [11, listOldestMessages],
  [12, listMailListeners],
  [13, timeActivity],
  [14, fillContentIndex],
  [15, listDirectMessages],
  [16, planTrafficCounts],
  [17, forgetIndex],
  [18, readBoth],
  [19, readFlagsOfBoth],
]);
