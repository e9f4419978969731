import type { PushNotice } from '../../operations/notifications/push-notices.ts';

/** Returns what a telephone shows of a notice; undefined for one that shows nothing. */
export function shownOf(notice: PushNotice): { title: string; body: string } | undefined {
  const text = (name: string) => String(notice[name] ?? '');
  switch (notice['type']) {
    case 'message': {
      const place =
        notice['channel_id'] === undefined ? '' : ` in ${text('channel_name')} > ${text('topic')}`;
      return { title: `${text('sender_full_name')}${place}`, body: text('content') };
    }
    case 'test':
      return { title: text('realm_name'), body: 'Notifications reach this device.' };
    default:
      return undefined;
  }
}

/** Returns the name under which a later push replaces one; undefined if none does. */
export const collapseIdOf = ({ message_id: id }: PushNotice): string | undefined =>
  typeof id === 'number' ? `message-${id}` : undefined;

/** Shortens the content of a notice until the whole is as short as the service takes. */
export function fitting<Payload>(
  notice: PushNotice,
  { bytesMax, make }: { bytesMax: number; make: (notice: PushNotice) => Payload },
): Payload {
  const isShort = (payload: Payload) => Buffer.byteLength(JSON.stringify(payload)) <= bytesMax;
  const whole = make(notice);
  if (isShort(whole)) return whole;
  const { recipient_user_ids: _, pm_users: __, message_ids: ids, ...rest } = notice;
  const some = Array.isArray(ids) ? { message_ids: ids.slice(-100) } : {};
  const shorter = make({ ...rest, ...some });
  if (isShort(shorter)) return shorter;
  const { type, message_id, user_id, realm_url, sender_full_name } = notice;
  return make({ type, message_id, user_id, realm_url, sender_full_name });
}
