import type { Chat } from '@confab/client';
import { applyTo, type Snapshot } from '@confab/client/store';
import { app } from '../../../../web/app/store/app.ts';

interface Request {
  readonly method: string;
  readonly path: string;
  readonly params: unknown;
}

const group = (id: number, members: number[], direct_subgroup_ids: number[] = []) => ({
  id,
  name: `group ${id}`,
  description: '',
  members,
  direct_subgroup_ids,
  is_system_group: false,
  deactivated: false,
});

const user = (user_id: number, full_name: string, role: number, more: object = {}) => ({
  user_id,
  full_name,
  role,
  email: `user${user_id}@example.com`,
  delivery_email: `user${user_id}@example.com`,
  is_bot: false,
  bot_owner_id: null,
  date_joined: '2026-01-01T00:00:00Z',
  ...more,
});

const channel = (stream_id: number, name: string, more: object = {}) => ({
  stream_id,
  name,
  description: `About ${name}`,
  invite_only: false,
  is_archived: false,
  subscriber_count: 2,
  stream_weekly_traffic: null,
  can_administer_channel_group: 20,
  date_created: 0,
  folder_id: null,
  ...more,
});

/** An organization with what these tests look at; Mel is the account. */
export const snapshot = (more: object = {}): Snapshot =>
  ({
    user_id: 4,
    is_admin: false,
    is_owner: false,
    realm_users: [
      user(1, 'Ona Owner', 100),
      user(2, 'Ada Administrator', 200),
      user(4, 'Mel Member', 400),
      user(5, 'Gus Guest', 600, { delivery_email: null }),
      user(8, 'Mel Bot', 400, { is_bot: true, bot_type: 1, bot_owner_id: 4 }),
      user(9, 'Ada Bot', 400, { is_bot: true, bot_type: 2, bot_owner_id: 2 }),
    ],
    realm_non_active_users: [user(6, 'Leo Left', 400)],
    realm_user_groups: [
      group(20, [], [21]),
      group(21, [], [22]),
      group(22, [4], [20]),
      group(30, [1]),
    ],
    subscriptions: [{ ...channel(1, 'general'), color: '#76ce90' }],
    never_subscribed: [
      channel(2, 'random', {
        stream_weekly_traffic: 9,
        date_created: 1,
        can_administer_channel_group: 30,
      }),
      channel(3, 'design', {
        description: 'What general things look like',
        can_administer_channel_group: { direct_members: [4], direct_subgroups: [] },
      }),
      channel(7, 'attic', { is_archived: true }),
    ],
    ...more,
  }) as unknown as Snapshot;

/** Opens an account whose connection answers so; returns the requests that it is given. */
export function openAccount(
  answer: (method: string, path: string) => object = () => ({}),
  more: object = {},
): readonly Request[] {
  const requests: Request[] = [];
  const chat = {
    call: async (method: string, path: string, params: unknown = {}) => {
      requests.push({ method, path, params });
      return answer(method, path);
    },
  };
  app.connected(chat as unknown as Chat);
  app.follow(applyTo);
  app.begin(snapshot(more));
  return requests;
}
