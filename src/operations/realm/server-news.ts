import type { RealmReader, RealmTransaction } from '../../../storage/transaction.ts';
import { newsSince, type Release } from '../../domain/rules/realm/releases.ts';
import { SERVICE_VERSION } from '../../domain/version.ts';
import type { Site } from '../access/caller.ts';
import { announcementChannel, topicIn } from '../channels/notices.ts';
import * as notices from '../posting/notices.ts';

/**
 * The topic of news about the server, which are sent to the organization's channel for them when a
 * new version first runs (`service_update_announcements_stream_id`; docs/decisions/0089).
 */

const NEWS_TOPIC = 'server updates';

/** Returns a time in the past while there are news to send. */
export const nextAt = (reader: Pick<RealmReader, 'realm'>): number | undefined =>
  pending(reader).length === 0 ? undefined : 0;

/** Sends the news once. Realms without a channel for them skip these releases for good. */
export function send(tx: RealmTransaction, site: Site) {
  const news = pending(tx);
  settle(tx);
  const channel = announcementChannel(tx, 'service_update_announcements_stream_id');
  if (channel === undefined || news.length === 0) return;
  const parts = news.map(
    (release) => `**confab ${release.version}** runs here now:\n\n${release.news}`,
  );
  const content = parts.join('\n\n');
  notices.toChannel(tx, site, { channel, topic: topicIn(channel, NEWS_TOPIC), content });
}

/** Notes that all news were sent. */
export function settle(tx: RealmTransaction) {
  const row = tx.realm.get(['realm']);
  if (row !== undefined) tx.realm.put(['realm'], { ...row, newsVersion: SERVICE_VERSION });
}

function pending(reader: Pick<RealmReader, 'realm'>): readonly Release[] {
  const row = reader.realm.get(['realm']);
  return row === undefined ? [] : newsSince(row.newsVersion);
}
