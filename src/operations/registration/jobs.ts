import type { RealmReader, RealmTransaction } from '../../../storage/transaction.ts';
import type { ServerSettings } from '../../config.ts';
import type { Site } from '../access/caller.ts';
import * as outbox from '../access/outbox.ts';
import * as realms from '../access/realms.ts';
import * as sessions from '../accounts/sessions.ts';
import * as channelTraffic from '../channels/traffic.ts';
import * as attachments from '../files/attachments.ts';
import * as resumableUploads from '../files/resumable-uploads.ts';
import * as fullMembers from '../groups/full-members.ts';
import * as channelActivity from '../indexes/channel-activity.ts';
import * as retention from '../messages/retention.ts';
import * as digestPlan from '../notifications/digest-plan.ts';
import * as missedMessages from '../notifications/missed-messages.ts';
import * as pushRecipients from '../notifications/push-recipients.ts';
import * as reminders from '../personal/reminders.ts';
import * as scheduledMessages from '../personal/scheduled-messages.ts';
import * as auditLog from '../realm/audit-log.ts';
import * as serverNews from '../realm/server-news.ts';
import * as searchIndex from '../search/index.ts';
import * as senderLists from '../search/sender-lists.ts';

interface Work {
  /** Prepares a part of it outside of a transaction; returns false if there is more to prepare. */
  readonly prepare?: () => boolean;
  readonly attempt: (tx: RealmTransaction) => readonly outbox.Entry[];
  readonly onFailure: (tx: RealmTransaction, error: unknown) => void;
}

/** A kind of job that a realm does by itself at a time; there is one for each table with times. */
interface Kind {
  /** Returns the earliest time (UNIX milliseconds) in the table. */
  nextAt(reader: RealmReader, settings: Pick<ServerSettings, 'auditDays'>): number | undefined;
  /** True if it writes rows that can wait: it is postponed while the disk is nearly full. */
  readonly needsSpace?: true;
  /** Returns a bounded number of jobs that are due. */
  due(reader: RealmReader, when: When): Work[];
}

interface When {
  readonly now: number;
  readonly site: Site;
  /** Id of this run of the server, different from all others. */
  readonly run: string;
  /** True if the disk is nearly full. */
  readonly isShort: boolean;
}

interface OneJob extends Omit<Kind, 'due'> {
  /** Prepares a part of it; returns false if there is more to prepare. */
  readonly prepare?: (reader: RealmReader) => boolean;
  /** Forgets what was prepared, as nothing is due. */
  readonly forget?: (reader: RealmReader) => void;
  readonly attempt: (tx: RealmTransaction, of: { reader: RealmReader; site: Site }) => void;
  /** Called only after a bug. Afterwards it is due later, since it would fail again at once. */
  readonly onFailure: Work['onFailure'];
}

/** Makes a kind that has one job at a time, which is due at the time that `nextAt` says. */
function oneJob({ prepare, forget, attempt, onFailure, ...kind }: OneJob): Kind {
  return {
    ...kind,
    due(reader, { now, site }) {
      if ((kind.nextAt(reader, site.settings) ?? Number.POSITIVE_INFINITY) > now) {
        forget?.(reader);
        return [];
      }
      const work: Work = {
        attempt(tx) {
          attempt(tx, { reader, site });
          return [];
        },
        onFailure,
      };
      return [prepare === undefined ? work : { ...work, prepare: () => prepare(reader) }];
    },
  };
}

const outboxEntries: Kind = {
  nextAt: outbox.nextAt,
  due: (reader, { now, run }) =>
    outbox.due(reader, now).map((key) => ({
      attempt: (tx) => {
        const entry = outbox.take(tx, key, run);
        return entry === undefined ? [] : [entry];
      },
      onFailure: (tx) => tx.outbox.remove(key),
    })),
};

const scheduled: Kind = {
  needsSpace: true,
  nextAt: scheduledMessages.nextAt,
  due: (reader, { now, site }) =>
    scheduledMessages.due(reader, now).map((key) => ({
      attempt(tx) {
        scheduledMessages.deliver(tx, key, site);
        return [];
      },
      onFailure: (tx, error) => scheduledMessages.fail(tx, key, { error, site }),
    })),
};

const remindersDue: Kind = {
  needsSpace: true,
  nextAt: reminders.nextAt,
  due: (reader, { now, site }) =>
    reminders.due(reader, now).map((key) => ({
      attempt(tx) {
        reminders.deliver(tx, key, site);
        return [];
      },
      onFailure: (tx) => reminders.fail(tx, key),
    })),
};

const waitingMembers = oneJob({
  nextAt: fullMembers.nextAt,
  attempt: fullMembers.promote,
  onFailure: fullMembers.promoteBlindly,
});

const unusedFiles: Kind = {
  nextAt: attachments.nextAt,
  due: (reader, { now }) =>
    attachments.due(reader, now).map((key) => ({
      attempt(tx) {
        attachments.expire(tx, key);
        return [];
      },
      // This only happens after a bug: the file stays, and is not tried again and again.
      onFailure: (tx) => tx.unusedAttachments.remove(key),
    })),
};

const abandonedUploads: Kind = {
  nextAt: resumableUploads.nextAt,
  due: (reader, { now }) =>
    resumableUploads.due(reader, now).map((key) => ({
      attempt(tx) {
        resumableUploads.end(tx, key);
        return [];
      },
      // This only happens after a bug: the upload stays, and is not tried again and again.
      onFailure: (tx) => tx.resumableUploadTimes.remove(key),
    })),
};

const pushes: Kind = {
  nextAt: pushRecipients.nextAt,
  due: (reader, { now, site }) =>
    pushRecipients.due(reader, now).map((key) => ({
      attempt(tx) {
        pushRecipients.step(tx, key, site.settings);
        return [];
      },
      onFailure: (tx) => tx.pushWork.remove(key),
    })),
};

const missed: Kind = {
  nextAt: missedMessages.nextAt,
  due: (reader, { now }) =>
    missedMessages.due(reader, now).map((key) => ({
      attempt(tx) {
        missedMessages.deliver(tx, key);
        return [];
      },
      onFailure: (tx) => missedMessages.forget(tx, key),
    })),
};

const digests = oneJob({
  nextAt: digestPlan.nextAt,
  attempt: digestPlan.step,
  onFailure: digestPlan.skip,
});

const search = oneJob({
  needsSpace: true,
  nextAt: searchIndex.nextAt,
  prepare: (reader) => searchIndex.prepare(reader),
  forget: searchIndex.forgetPrepared,
  attempt: (tx, { reader }) => searchIndex.work(tx, { prepared: searchIndex.preparedIn(reader) }),
  onFailure: searchIndex.rest,
});

/** Searches look at what is not listed, so this does not wait for space on the disk. */
const senders = oneJob({
  nextAt: senderLists.nextAt,
  prepare: (reader) => senderLists.prepare(reader),
  forget: senderLists.forgetPrepared,
  attempt: (tx, { reader }) => senderLists.work(tx, { prepared: senderLists.preparedIn(reader) }),
  onFailure: senderLists.rest,
});

const expiring: Kind = {
  nextAt: retention.nextAt,
  due: (reader, { now }) =>
    retention.due(reader, now).map((where) => ({
      attempt(tx) {
        retention.step(tx, where);
        return [];
      },
      onFailure: (tx) => retention.putAside(tx, where),
    })),
};

const quietChannels: Kind = {
  nextAt: channelActivity.nextAt,
  due: (reader, { now }) =>
    channelActivity.due(reader, now).map((key) => ({
      attempt(tx) {
        channelActivity.look(tx, key);
        return [];
      },
      // This only happens after a bug: the channel stays active, and is not tried again and again.
      onFailure: (tx) => tx.activeChannels.remove(key),
    })),
};

const traffic: Kind = {
  nextAt: channelTraffic.nextAt,
  due: (reader, { now }) =>
    channelTraffic.due(reader, now).map((key) => ({
      attempt(tx) {
        channelTraffic.step(tx, key);
        return [];
      },
      // This only happens after a bug: the figure stays for another day.
      onFailure: (tx) => channelTraffic.postpone(tx, key),
    })),
};

const news = oneJob({
  needsSpace: true,
  nextAt: serverNews.nextAt,
  attempt: (tx, { site }) => serverNews.send(tx, site),
  onFailure: serverNews.settle,
});

const oldAudits = oneJob({
  nextAt: (reader, { auditDays }) => auditLog.nextAt(reader, auditDays),
  attempt: (tx, { site: { settings } }) => auditLog.prune(tx, settings.auditDays),
  onFailure: auditLog.dropOldest,
});

const idleSessions: Kind = {
  nextAt: sessions.nextAt,
  due: (reader, { now }) =>
    sessions.due(reader, now).map((key) => ({
      attempt(tx) {
        sessions.look(tx, key);
        return [];
      },
      // This only happens after a bug: the session is refused by its age, and its row stays.
      onFailure: (tx) => tx.sessionTimes.remove(key),
    })),
};

const KINDS: readonly Kind[] = [
  outboxEntries,
  scheduled,
  remindersDue,
  waitingMembers,
  unusedFiles,
  abandonedUploads,
  pushes,
  missed,
  digests,
  search,
  senders,
  expiring,
  quietChannels,
  traffic,
  news,
  oldAudits,
  idleSessions,
];

const MODEST_KINDS = KINDS.filter(({ needsSpace }) => needsSpace !== true);

const kindsFor = ({ isShort }: Pick<When, 'isShort'>) => (isShort ? MODEST_KINDS : KINDS);

/**
 * Returns when the next job is due. A deactivated organization does nothing by itself; its
 * reactivation wakes it.
 */
export function nextAt(
  reader: RealmReader,
  when: Pick<When, 'isShort'> & Pick<ServerSettings, 'auditDays'>,
): number | undefined {
  if (!realms.isActive(reader)) return undefined;
  const times = kindsFor(when)
    .map((kind) => kind.nextAt(reader, when))
    .filter((at) => at !== undefined);
  return times.length === 0 ? undefined : Math.min(...times);
}

interface Job extends Work {
  readonly kind: object;
}

/** Returns jobs that are due, a bounded number of each of these kinds; by default of all. */
export function due(reader: RealmReader, when: When, kinds?: ReadonlySet<object>): Job[] {
  if (!realms.isActive(reader)) return [];
  const asked = kindsFor(when).filter((kind) => kinds === undefined || kinds.has(kind));
  return asked.flatMap((kind) => kind.due(reader, when).map((work) => ({ kind, ...work })));
}
