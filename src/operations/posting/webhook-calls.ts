import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import { BotType } from '../../domain/wire/bot-types.ts';
import type { RichMessage } from '../../domain/wire/objects.ts';
import * as outbox from '../access/outbox.ts';

/** A call of an outgoing webhook on its way: the message as it was when it was sent. */
export interface WebhookCall {
  readonly botId: number;
  readonly trigger: 'direct_message' | 'mention';
  readonly message: RichMessage;
}

interface Posted {
  readonly sender: UserRow;
  readonly mentionedUserIds: readonly number[];
  /** Of a direct message: the others. */
  readonly people: readonly UserRow[];
  readonly isPrivateChannel: boolean;
  receives(userId: number): boolean;
  readonly message: RichMessage;
}

/**
 * Has the webhooks of the bots that a message is for called after its commit (specification, "outgoing-webhook delivery").
 * What bots say calls none, so that two of them cannot talk for ever.
 */
export function post(tx: RealmTransaction, posted: Posted) {
  if (posted.sender.botType !== null) return;
  for (const bot of posted.people) call(tx, bot, posted, 'direct_message');
  if (posted.message.type === 'private') return;
  for (const id of posted.mentionedUserIds) {
    const user = tx.users.get([id]);
    if (user === undefined) continue;
    // A bot in a private channel that it does not belong to hears nothing of it, as people do not.
    if (posted.isPrivateChannel && !posted.receives(id)) continue;
    call(tx, user, posted, 'mention');
  }
}

function call(tx: RealmTransaction, bot: UserRow, posted: Posted, trigger: WebhookCall['trigger']) {
  if (bot.botType !== BotType.outgoingWebhook || !bot.isActive) return;
  const content: WebhookCall = { botId: bot.id, trigger, message: posted.message };
  outbox.post(tx, { kind: 'webhook', content });
}
