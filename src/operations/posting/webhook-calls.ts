import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import { BotType } from '../../domain/wire/bot-types.ts';
import type { RichMessage } from '../../domain/wire/message-objects.ts';
import type { TraceContext } from '../../domain/wire/trace-context.ts';
import * as outbox from '../access/outbox.ts';

/** A call of an outgoing webhook on its way, with the message as it was sent. */
export interface WebhookCall {
  readonly botId: number;
  readonly trigger: 'direct_message' | 'mention';
  readonly message: RichMessage;
  /** The trace of the request that sent the message, if it named one. */
  readonly trace?: TraceContext;
}

interface Posted {
  readonly sender: UserRow;
  readonly mentionedUserIds: readonly number[];
  /** The other people of a direct message. */
  readonly people: readonly UserRow[];
  readonly isPrivateChannel: boolean;
  receives(userId: number): boolean;
  readonly message: RichMessage;
}

/**
 * Calls the webhooks of a message's bots after its commit (specification, "outgoing-webhook
 * delivery"). Messages of bots call none, so that two bots cannot answer each other for ever.
 */
export function post(tx: RealmTransaction, posted: Posted) {
  if (posted.sender.botType !== null) return;
  for (const bot of posted.people) call(tx, bot, posted, 'direct_message');
  if (posted.message.type === 'private') return;
  for (const id of posted.mentionedUserIds) {
    const user = tx.users.get([id]);
    if (user === undefined) continue;
    // A bot that is not subscribed to a private channel is not called, just as people are not
    // notified.
    if (posted.isPrivateChannel && !posted.receives(id)) continue;
    call(tx, user, posted, 'mention');
  }
}

function call(tx: RealmTransaction, bot: UserRow, posted: Posted, trigger: WebhookCall['trigger']) {
  if (bot.botType !== BotType.outgoingWebhook || !bot.isActive) return;
  const of = tx.trace === null ? {} : { trace: tx.trace };
  const content: WebhookCall = { botId: bot.id, trigger, message: posted.message, ...of };
  outbox.post(tx, { kind: 'webhook', content });
}
