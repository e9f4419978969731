import { SCHEMA_VERSION } from '../schema.ts';
import type { Migration, Schemas } from './migration.ts';
import { addNotificationBot } from './steps/exclusive/0002-notification-bot.ts';
import { listFlagHolders } from './steps/exclusive/0003-flag-holders.ts';
import { countParticipants } from './steps/exclusive/0004-topic-participants.ts';
import { listFormerSubscribers } from './steps/exclusive/0005-former-subscribers.ts';
import { makeSecrets } from './steps/exclusive/0006-secrets.ts';
import { listWaitingMembers } from './steps/exclusive/0007-waiting-members.ts';
import { listPushListeners } from './steps/exclusive/0008-push-listeners.ts';
import { listKeyOwners } from './steps/exclusive/0009-key-owners.ts';
import { listAttachmentPlaces } from './steps/exclusive/0010-attachment-places.ts';
import { listOldestMessages } from './steps/exclusive/0011-oldest-messages.ts';
import { listMailListeners } from './steps/exclusive/0012-mail-listeners.ts';
import { timeActivity } from './steps/exclusive/0013-active-channels.ts';
import { fillContentIndex } from './steps/exclusive/0014-content-index.ts';
import { listDirectMessages } from './steps/exclusive/0015-user-direct-messages.ts';
import { planTrafficCounts } from './steps/exclusive/0016-traffic-counts.ts';
import { forgetIndex } from './steps/exclusive/0017-search-anew.ts';
import { readBoth } from './steps/reading-both/0018-listed-messages.ts';
import { readFlagsOfBoth } from './steps/reading-both/0019-flags-of-many.ts';
import { addMovingIn } from './steps/reading-both/0020-moving-in.ts';
import { addSessionsAndNames } from './steps/reading-both/0021-sessions-and-names-of-others.ts';
import { noteSendersListed } from './steps/reading-both/0022-senders-together.ts';

/** Rows of a table are missing, or mean something else, until this has run. */
const exclusive = (run: Migration['run']): Migration => ({
  run,
  readsFormer: false,
  writesFormer: false,
});

/** Both forms are read by the code of this schema, and only the former one by that before. */
const readingBoth = (run: Migration['run']): Migration => ({
  run,
  readsFormer: true,
  writesFormer: false,
});

/** By the schema version that each leads to; run in order, each in a transaction of its own. */
export const MIGRATIONS: ReadonlyMap<number, Migration> = new Map([
  // The bot is an account that code looks up.
  [2, exclusive(addNotificationBot)],
  // From here on tables that are made of others: without their rows something is not found.
  [3, exclusive(listFlagHolders)],
  [4, exclusive(countParticipants)],
  [5, exclusive(listFormerSubscribers)],
  [6, exclusive(makeSecrets)],
  [7, exclusive(listWaitingMembers)],
  [8, exclusive(listPushListeners)],
  [9, exclusive(listKeyOwners)],
  [10, exclusive(listAttachmentPlaces)],
  [11, exclusive(listOldestMessages)],
  [12, exclusive(listMailListeners)],
  [13, exclusive(timeActivity)],
  [14, exclusive(fillContentIndex)],
  [15, exclusive(listDirectMessages)],
  [16, exclusive(planTrafficCounts)],
  // Words are looked up in another way than the former index has them.
  [17, exclusive(forgetIndex)],
  [18, readingBoth(readBoth)],
  [19, readingBoth(readFlagsOfBoth)],
  [20, readingBoth(addMovingIn)],
  [21, readingBoth(addSessionsAndNames)],
  [22, readingBoth(noteSendersListed)],
]);

/** The schemas of this version of confab. */
export const SCHEMAS: Schemas = { newest: SCHEMA_VERSION, steps: MIGRATIONS };
