import type { MessageRow } from '../../../storage/tables/messages/messages.ts';
import type { BotServiceRow } from '../../../storage/tables/people/bots.ts';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmReader, RealmTransaction } from '../../../storage/transaction.ts';
import { fenced } from '../../domain/rules/texts/fenced.ts';
import * as errors from '../../domain/wire/errors.ts';
import type { Site } from '../access/caller.ts';
import type * as conversations from '../posting/conversations.ts';
import * as messages from '../posting/messages.ts';
import * as notices from '../posting/notices.ts';
import { acceptableContent } from '../posting/sending-rules.ts';
import type { WebhookCall } from '../posting/webhook-calls.ts';

/** Returns the bot of a call, its service and the realm; undefined if the bot is gone. */
export function partiesOf(
  reader: RealmReader,
  { botId }: WebhookCall,
):
  | { readonly bot: UserRow; readonly service: BotServiceRow; readonly realmId: number }
  | undefined {
  const bot = reader.users.get([botId]);
  const service = reader.botServices.get([botId]);
  if (!bot?.isActive || service === undefined) return undefined;
  return { bot, service, realmId: reader.realm.get(['realm'])?.id ?? 0 };
}

/**
 * Sends the webhook's answer to where the bot was addressed. A call that was made twice is answered
 * once.
 */
export function reply(
  tx: RealmTransaction,
  site: Site,
  { call, content }: { call: WebhookCall; content: string },
) {
  const user = tx.users.get([call.botId]);
  const message = tx.messages.get([call.message.id]);
  if (!user?.isActive || message === undefined) return;
  messages.send(
    tx,
    { user, site, client: 'Outgoing webhook' },
    {
      destination: destinationOf(tx, user, message),
      content: acceptableContent(content),
      isReadBySender: true,
      repeatKeys: [`webhook ${message.id}`],
    },
  );
}

/** Tells the owner of a bot why it did not answer. */
export function complain(
  tx: RealmTransaction,
  site: Site,
  { call, problem }: { call: WebhookCall; problem: string },
) {
  const bot = tx.users.get([call.botId]);
  const owner = bot?.botOwnerId == null ? undefined : tx.users.get([bot.botOwnerId]);
  if (bot === undefined || !owner?.isActive) return;
  const content = [
    `The webhook of ${notices.silentMention(bot)} failed for message ${call.message.id}:`,
    '',
    fenced(problem, 'quote'),
  ].join('\n');
  notices.toPeople(tx, site, { people: [owner], content });
}

/** Returns the present place of the message, which may have been moved. */
function destinationOf(
  tx: RealmTransaction,
  bot: UserRow,
  message: MessageRow,
): conversations.Destination {
  if (message.channelId !== null) {
    const channel = tx.channels.get([message.channelId]);
    if (channel === undefined) throw errors.invalidChannelId();
    return { channel, topic: message.topic };
  }
  const userIds = tx.conversations.get([message.recipientId])?.userIds ?? [];
  const people = userIds
    .filter((id) => id !== bot.id)
    .map((id) => tx.users.get([id]))
    .filter((user) => user !== undefined);
  return { people };
}
