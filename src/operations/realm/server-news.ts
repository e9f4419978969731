import type { RealmReader, RealmTransaction } from '../../../storage/transaction.ts';
import { newsSince, type Release } from '../../domain/rules/realm/releases.ts';
import { SERVICE_VERSION } from '../../domain/version.ts';
import type { Site } from '../access/caller.ts';
import { announcementChannel, topicIn } from '../channels/notices.ts';
import * as notices from '../posting/notices.ts';

/**
 * What is new in the server, told in the organization's channel for it when it first runs there
 * (`service_update_announcements_stream_id`; docs/decisions/0089).
 */

const NEWS_TOPIC = 'server updates';

/** Now, while there are news to be told. */
export const nextAt = (reader: Pick<RealmReader, 'realm'>): number | undefined =>
  pending(reader).length === 0 ? undefined : 0;

/** Tells the news once. Who has no channel for them is not told of them later, either. */
export function tell(tx: RealmTransaction, site: Site) {
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

/** Nothing is left to be told. */
export function settle(tx: RealmTransaction) {
  const row = tx.realm.get(['realm']);
  if (row !== undefined) tx.realm.put(['realm'], { ...row, newsVersion: SERVICE_VERSION });
}

function pending(reader: Pick<RealmReader, 'realm'>): readonly Release[] {
  const row = reader.realm.get(['realm']);
  return row === undefined ? [] : newsSince(row.newsVersion);
}
