import type { Row, World } from './world.ts';

/** Refusals about channels and subscriptions. */
export const channelRows = ({ mill, vault }: World): readonly Row[] => [
  { msg: 'Invalid channel ID', from: 'interface', as: 'mel', ask: ['get', `/streams/${vault}`] },
  {
    msg: "Invalid channel name 'nowhere'",
    from: 'interface',
    as: 'mel',
    ask: ['get', '/get_stream_id', { stream: 'nowhere' }],
  },
  {
    msg: "Channel name can't be empty.",
    from: 'interface',
    as: 'ona',
    ask: ['patch', `/streams/${mill}`, { new_name: ' ' }],
  },
  {
    msg: 'Channel name too long (limit: 60 characters).',
    from: 'interface',
    as: 'ona',
    ask: ['patch', `/streams/${mill}`, { new_name: 'x'.repeat(61) }],
  },
  {
    msg: 'Invalid character in channel name, at position 2.',
    from: 'interface',
    as: 'ona',
    ask: ['patch', `/streams/${mill}`, { new_name: 'a\u0007b' }],
  },
  {
    msg: 'Channel already has that name.',
    from: 'interface',
    as: 'ona',
    ask: ['patch', `/streams/${mill}`, { new_name: 'mill' }],
  },
  {
    msg: 'Channel name is already in use.',
    from: 'interface',
    as: 'ona',
    ask: ['patch', `/streams/${mill}`, { new_name: 'vault' }],
  },
  {
    msg: 'Invalid parameters',
    from: 'interface',
    as: 'ona',
    ask: ['patch', `/streams/${mill}`, { is_private: true, is_web_public: true }],
  },
  {
    msg: 'Channel is not currently deactivated',
    from: 'interface',
    as: 'ona',
    ask: ['patch', `/streams/${mill}`, { is_archived: false }],
  },
  {
    msg: 'You do not have permission to administer this channel.',
    from: 'interface',
    as: 'mel',
    ask: ['patch', `/streams/${mill}`, { description: 'x' }],
    code: 'CANNOT_ADMINISTER_CHANNEL',
  },
  {
    msg: 'Private channels cannot be made default.',
    from: 'interface',
    as: 'ona',
    ask: ['post', '/default_streams', { stream_id: vault }],
  },
  {
    msg: 'A default channel cannot be private.',
    from: 'interface',
    as: 'ona',
    ask: [
      'post',
      '/channels/create',
      { name: 'new', subscribers: '[]', invite_only: true, is_default_stream: true },
    ],
  },
  {
    msg: 'Invalid topics_policy',
    from: 'interface',
    as: 'ona',
    ask: ['patch', `/streams/${mill}`, { topics_policy: 'none' }],
  },
  {
    msg: 'Channel(s) (nowhere) do not exist',
    from: 'interface',
    as: 'mel',
    ask: ['delete', '/users/me/subscriptions', { subscriptions: '["nowhere"]' }],
  },
  {
    msg: `Not subscribed to channel ID ${mill}`,
    from: 'interface',
    as: 'mia',
    ask: ['patch', `/users/me/subscriptions/${mill}`, { property: 'is_muted', value: true }],
  },
  {
    msg: 'Unknown subscription property: hue',
    from: 'interface',
    as: 'mel',
    ask: ['patch', `/users/me/subscriptions/${mill}`, { property: 'hue', value: true }],
  },
  {
    msg: 'Nothing to do. Specify at least one of "add" or "delete".',
    from: 'interface',
    as: 'mel',
    ask: ['patch', '/users/me/subscriptions'],
  },
  {
    msg: 'Not allowed for guest users',
    from: 'interface',
    as: 'gus',
    ask: ['post', '/users/me/subscriptions', { subscriptions: '[{"name":"mill"}]' }],
  },
  {
    msg: "Invalid default channel group name ''",
    from: 'interface',
    as: 'ona',
    ask: [
      'post',
      '/default_stream_groups/create',
      { group_name: ' ', description: 'x', stream_names: '["mill"]' },
    ],
  },
  {
    msg: "Default channel group with id '9' does not exist.",
    from: 'interface',
    as: 'ona',
    ask: ['delete', '/default_stream_groups/9'],
  },
  {
    msg: 'Invalid character in channel folder name, at position 1.',
    from: 'interface',
    as: 'ona',
    ask: ['post', '/channel_folders/create', { name: '\u0007a', description: '' }],
  },
];
