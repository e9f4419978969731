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

/**
 * Makes the payload of a notice, as long as the service takes it: without lists that the device
 * finds again with the message, then with less of the content, which ends between two characters.
 */
export function fitting<Payload>(
  notice: PushNotice,
  { bytesMax, make }: { bytesMax: number; make: (notice: PushNotice) => Payload },
): Payload {
  const isShort = (payload: Payload) => Buffer.byteLength(JSON.stringify(payload)) <= bytesMax;
  const whole = make(notice);
  if (isShort(whole)) return whole;
  const { recipient_user_ids: _, pm_users: __, message_ids: ids, ...rest } = notice;
  const some = Array.isArray(ids) ? { ...rest, message_ids: ids.slice(-REMOVED_MAX) } : rest;
  const shorter = make(some);
  if (isShort(shorter)) return shorter;
  const characters = [...String(notice['content'] ?? '')];
  for (let length = characters.length; length > 0; length = Math.floor(length / 2)) {
    const cut = make({ ...some, content: `${characters.slice(0, length).join('')}…` });
    if (isShort(cut)) return cut;
  }
  const { type, message_id, user_id, realm_url } = notice;
  return make({ type, message_id, user_id, realm_url });
}

/** As many ids of 15 digits fit. */
const REMOVED_MAX = 200;
