import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import { BOT_NOTICE_PAUSE_MS } from '../../domain/limits/bots.ts';
import { fenced } from '../../domain/rules/texts/fenced.ts';
import type { Site } from '../access/caller.ts';
import * as notices from './notices.ts';

/**
 * The reason why a message of a bot reaches nobody: a missing channel, or one without subscribers.
 */
type Reason = { readonly missing: string | number } | { readonly withoutSubscribers: string };

/**
 * Tells the owner of a bot that its messages reach nobody, at most once in five minutes
 * (reference/endpoints.md 1.1). People see it themselves.
 */
export function note(
  tx: RealmTransaction,
  site: Site,
  { bot, why }: { bot: UserRow; why: Reason },
) {
  const owner = bot.botOwnerId === null ? undefined : tx.users.get([bot.botOwnerId]);
  if (owner === undefined || !owner.isActive) return;
  const last = tx.botNotices.get([bot.id])?.at;
  if (last !== undefined && tx.now - last < BOT_NOTICE_PAUSE_MS) return;
  tx.botNotices.put([bot.id], { at: tx.now });
  const name = notices.silentMention(bot);
  const { channel, fault } = described(why);
  const content = `Your bot ${name} sent a message to a channel ${fault}:\n${fenced(channel, 'text')}`;
  notices.toPeople(tx, site, { people: [owner], content });
}

const described = (why: Reason) =>
  'missing' in why
    ? { channel: String(why.missing), fault: 'that does not exist' }
    : { channel: why.withoutSubscribers, fault: 'that has no subscribers' };
