import type { ChannelRow } from '../../../storage/tables/channels/channels.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import type { EventBody } from '../../domain/wire/events/log-entry.ts';
import type { ChannelObject } from '../../domain/wire/objects.ts';
import { queuesFor, whoKnows } from '../access/channel-access.ts';
import { isSame } from '../access/group-settings.ts';
import { channelObject } from './channels.ts';

/**
 * Properties that change one at a time in events, in this order; those announced with `invite_only`
 * are not among them.
 */
const PROPERTIES = [
  'name',
  'description',
  'stream_post_policy',
  'is_announcement_only',
  'message_retention_days',
  'folder_id',
  'topics_policy',
  'can_add_subscribers_group',
  'can_administer_channel_group',
  'can_create_topic_group',
  'can_delete_any_message_group',
  'can_delete_own_message_group',
  'can_move_messages_out_of_channel_group',
  'can_move_messages_within_channel_group',
  'can_remove_subscribers_group',
  'can_resolve_topics_group',
  'can_send_message_group',
  'can_subscribe_group',
] as const satisfies readonly (keyof ChannelObject)[];

/**
 * Announces one `stream` update for each property that changed; the users in `upToDate` have the
 * present channel already.
 */
export function announceChanges(
  tx: RealmTransaction,
  {
    former,
    changed,
    upToDate,
  }: { former: ChannelRow; changed: ChannelRow; upToDate: readonly number[] },
) {
  const was = channelObject(tx, former);
  const is = channelObject(tx, changed);
  const emit = (event: EventBody) =>
    tx.emit({
      event,
      audience: { ...whoKnows(tx, changed), ...(upToDate.length > 0 ? { except: upToDate } : {}) },
      ...queuesFor(changed),
    });
  const about = { type: 'stream', op: 'update', stream_id: changed.id, name: former.name } as const;
  const { invite_only, is_web_public, history_public_to_subscribers } = is;
  if (
    was.invite_only !== invite_only ||
    was.is_web_public !== is_web_public ||
    was.history_public_to_subscribers !== history_public_to_subscribers
  ) {
    emit({
      ...about,
      property: 'invite_only',
      value: invite_only,
      history_public_to_subscribers,
      is_web_public,
    });
  }
  for (const property of PROPERTIES) {
    const value = is[property];
    if (isSame(was[property] as never, value as never)) continue; // compared by value, of any type
    if (property === 'description') {
      const { rendered_description } = is;
      emit({ ...about, property, value, rendered_description });
    } else emit({ ...about, property, value });
  }
}
