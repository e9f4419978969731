import { expect, test } from 'vitest';
import type { Params } from '../support/client.ts';
import { startServer, type TestServer } from '../support/start-server.ts';
import type { PersonName } from '../support/users.ts';

/**
 * The origin of a text: `reference` has it (reference/endpoints.md, section 4 for the codes);
 * servers of the same API answer with an `interface` text, and clients show it; an `own` text is
 * used if theirs would be wrong here or names another product.
 */
type Source = 'reference' | 'interface' | 'own';
type Method = 'get' | 'post' | 'patch' | 'put' | 'delete';

interface Row {
  readonly msg: string;
  readonly from: Source;
  readonly as: PersonName;
  readonly ask: readonly [Method, string, Params?];
  readonly code?: string;
  readonly status?: number;
}

/** The objects that the rows name, made once for all rows. */
interface World {
  readonly mill: number;
  readonly vault: number;
  readonly group: number;
  readonly message: number;
  readonly gone: number;
  readonly mel: number;
  readonly ada: number;
}

async function makeWorld(server: TestServer): Promise<World> {
  const { ona, ada, mel, max } = server.people;
  const made = async (name: string, params: Params) =>
    (await server.post(ona, '/channels/create', { name, subscribers: '[]', ...params })).body
      .id as number;
  const mill = await made('mill', {});
  const vault = await made('vault', { invite_only: true });
  await server.post(mel, '/users/me/subscriptions', { subscriptions: '[{"name":"mill"}]' });
  const sent = { type: 'stream', to: 'mill', topic: 'wheel', content: 'Turning' };
  const message = (await server.post(mel, '/messages', sent)).body.id as number;
  const group = (
    await server.post(ona, '/user_groups/create', {
      name: 'millers',
      description: '',
      members: `[${mel.id}]`,
    })
  ).body.group_id as number;
  await server.post(ada, '/realm/profile_fields', { name: 'Phone', field_type: 1 });
  await server.post(mel, `/messages/${message}/reactions`, { emoji_name: 'tada' });
  await server.post(mel, `/users/me/muted_users/${ada.id}`);
  await server.delete(ona, `/users/${max.id}`);
  return { mill, vault, group, message, gone: max.id, mel: mel.id, ada: ada.id };
}

const SEND = { type: 'stream', to: 'mill', topic: 'wheel', content: 'x' };

const messageRows = ({ mill, message, gone }: World): readonly Row[] => [
  {
    msg: "Channel 'nowhere' does not exist",
    from: 'interface',
    as: 'mel',
    ask: ['post', '/messages', { ...SEND, to: 'nowhere' }],
    code: 'STREAM_DOES_NOT_EXIST',
  },
  {
    msg: "Channel with ID '999' does not exist",
    from: 'interface',
    as: 'mel',
    ask: ['post', '/messages', { ...SEND, to: 999 }],
    code: 'STREAM_DOES_NOT_EXIST',
  },
  {
    msg: 'Message must not be empty',
    from: 'interface',
    as: 'mel',
    ask: ['post', '/messages', { ...SEND, content: ' ' }],
  },
  {
    msg: 'Missing topic',
    from: 'interface',
    as: 'mel',
    ask: ['post', '/messages', { type: 'stream', to: 'mill', content: 'x' }],
  },
  {
    msg: 'Invalid type',
    from: 'interface',
    as: 'mel',
    ask: ['post', '/messages', { ...SEND, type: 'letter' }],
  },
  {
    msg: 'Invalid character in topic, at position 3!',
    from: 'interface',
    as: 'mel',
    ask: ['post', '/messages', { ...SEND, topic: 'ab\u0007' }],
  },
  {
    msg: 'Message must have recipients',
    from: 'interface',
    as: 'mel',
    ask: ['post', '/messages', { type: 'direct', to: '[]', content: 'x' }],
  },
  {
    msg: 'Invalid user ID 999',
    from: 'interface',
    as: 'mel',
    ask: ['post', '/messages', { type: 'direct', to: '[999]', content: 'x' }],
  },
  {
    msg: "Invalid email 'who@example.com'",
    from: 'interface',
    as: 'mel',
    ask: ['post', '/messages', { type: 'direct', to: '["who@example.com"]', content: 'x' }],
  },
  {
    msg: 'Recipient lists may contain emails or user IDs, but not both.',
    from: 'interface',
    as: 'mel',
    ask: ['post', '/messages', { type: 'direct', to: '[1,"a@b.example"]', content: 'x' }],
  },
  {
    msg: "'Max Member' is no longer using this service.",
    from: 'own',
    as: 'mel',
    ask: ['post', '/messages', { type: 'direct', to: `[${gone}]`, content: 'x' }],
  },
  { msg: 'Invalid message(s)', from: 'interface', as: 'mel', ask: ['get', '/messages/999999'] },
  {
    msg: "Missing 'anchor' argument.",
    from: 'interface',
    as: 'mel',
    ask: ['get', '/messages', { num_before: 1, num_after: 1 }],
  },
  {
    msg: 'The anchor can only be excluded at an end of the range',
    from: 'interface',
    as: 'mel',
    ask: [
      'get',
      '/messages',
      { anchor: 'newest', include_anchor: false, num_before: 1, num_after: 1 },
    ],
  },
  {
    msg: 'Too many messages requested (maximum 5000).',
    from: 'interface',
    as: 'mel',
    ask: ['get', '/messages', { anchor: 'newest', num_before: 5001, num_after: 0 }],
  },
  {
    msg: "Invalid narrow operator combination: Duplicate 'with' operators.",
    from: 'interface',
    as: 'mel',
    ask: [
      'get',
      '/messages',
      { anchor: 'newest', num_before: 1, num_after: 0, narrow: '[["with","1"],["with","2"]]' },
    ],
    code: 'BAD_NARROW',
  },
  {
    msg: "Invalid flag: 'bold'",
    from: 'interface',
    as: 'mel',
    ask: ['post', '/messages/flags', { messages: `[${message}]`, op: 'add', flag: 'bold' }],
  },
  {
    msg: "Flag not editable: 'mentioned'",
    from: 'interface',
    as: 'mel',
    ask: ['post', '/messages/flags', { messages: `[${message}]`, op: 'add', flag: 'mentioned' }],
  },
  {
    msg: "Invalid message flag operation: 'put'",
    from: 'interface',
    as: 'mel',
    ask: ['post', '/messages/flags', { messages: `[${message}]`, op: 'put', flag: 'starred' }],
  },
  {
    msg: 'Nothing to change',
    from: 'interface',
    as: 'mel',
    ask: ['patch', `/messages/${message}`],
  },
  {
    msg: "You don't have permission to edit this message",
    from: 'interface',
    as: 'ada',
    ask: ['patch', `/messages/${message}`, { content: 'y' }],
  },
  {
    msg: 'Invalid propagate_mode without topic edit',
    from: 'interface',
    as: 'mel',
    ask: ['patch', `/messages/${message}`, { content: 'y', propagate_mode: 'change_all' }],
  },
  {
    msg: "You don't have permission to delete this message",
    from: 'interface',
    as: 'mia',
    ask: ['delete', `/messages/${message}`],
  },
  {
    msg: 'Reaction already exists.',
    from: 'interface',
    as: 'mel',
    ask: ['post', `/messages/${message}/reactions`, { emoji_name: 'tada' }],
    code: 'REACTION_ALREADY_EXISTS',
  },
  {
    msg: "Reaction doesn't exist.",
    from: 'interface',
    as: 'mel',
    ask: ['delete', `/messages/${message}/reactions`, { emoji_name: 'smile' }],
    code: 'REACTION_DOES_NOT_EXIST',
  },
  {
    msg: "Emoji 'no_such' does not exist",
    from: 'interface',
    as: 'mel',
    ask: ['post', `/messages/${message}/reactions`, { emoji_name: 'no_such' }],
  },
  {
    msg: 'Invalid emoji type.',
    from: 'interface',
    as: 'mel',
    ask: [
      'post',
      `/messages/${message}/reactions`,
      { emoji_name: 'smile', reaction_type: 'glyph' },
    ],
  },
  {
    msg: "No such topic 'nothing'",
    from: 'interface',
    as: 'mel',
    ask: ['post', '/mark_topic_as_read', { stream_id: mill, topic_name: 'nothing' }],
  },
  {
    msg: 'There should be a leading slash in the zcommand.',
    from: 'interface',
    as: 'mel',
    ask: ['post', '/zcommand', { command: 'ping' }],
  },
  {
    msg: 'No such command: nope',
    from: 'interface',
    as: 'mel',
    ask: ['post', '/zcommand', { command: '/nope' }],
  },
  {
    msg: "Missing 'to' argument",
    from: 'interface',
    as: 'mel',
    ask: ['post', '/typing', { op: 'start' }],
  },
  {
    msg: "Empty 'to' list",
    from: 'interface',
    as: 'mel',
    ask: ['post', '/typing', { op: 'start', to: '[]' }],
  },
  {
    msg: 'Scheduled message does not exist',
    from: 'interface',
    as: 'mel',
    ask: ['delete', '/scheduled_messages/9'],
    status: 404,
  },
  {
    msg: 'Scheduled delivery time must be in the future.',
    from: 'interface',
    as: 'mel',
    ask: [
      'post',
      '/scheduled_messages',
      { type: 'stream', to: mill, topic: 'x', content: 'x', scheduled_delivery_timestamp: 1 },
    ],
  },
  {
    msg: 'Invalid data type for channel ID',
    from: 'interface',
    as: 'mel',
    ask: [
      'post',
      '/scheduled_messages',
      {
        type: 'stream',
        to: '[1]',
        topic: 'x',
        content: 'x',
        scheduled_delivery_timestamp: 4_000_000_000,
      },
    ],
  },
  {
    msg: 'Must specify exactly 1 channel ID for channel messages',
    from: 'interface',
    as: 'mel',
    ask: ['post', '/drafts', { drafts: '[{"type":"stream","to":[],"topic":"x","content":"x"}]' }],
  },
  {
    msg: 'Draft does not exist',
    from: 'interface',
    as: 'mel',
    ask: ['delete', '/drafts/9'],
    status: 404,
  },
  {
    msg: 'Saved snippet does not exist.',
    from: 'interface',
    as: 'mel',
    ask: ['delete', '/saved_snippets/9'],
    status: 404,
  },
];

const channelRows = ({ mill, vault }: World): readonly Row[] => [
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

const peopleRows = ({ group, gone, mel, ada }: World): readonly Row[] => [
  { msg: 'No such user', from: 'interface', as: 'mel', ask: ['get', '/users/999'] },
  { msg: 'No such user', from: 'interface', as: 'mel', ask: ['get', '/users/who@example.com'] },
  { msg: 'No such user', from: 'interface', as: 'mel', ask: ['get', '/users/999/presence'] },
  { msg: 'No such user', from: 'interface', as: 'mel', ask: ['post', '/users/me/muted_users/999'] },
  { msg: 'No such user', from: 'interface', as: 'ada', ask: ['delete', '/users/999'] },
  { msg: 'User is deactivated', from: 'interface', as: 'ada', ask: ['delete', `/users/${gone}`] },
  {
    msg: 'User is deactivated',
    from: 'interface',
    as: 'ona',
    ask: [
      'post',
      '/users/me/subscriptions',
      { subscriptions: '[{"name":"mill"}]', principals: `[${gone}]` },
    ],
  },
  {
    msg: 'Invalid user ID: 999',
    from: 'interface',
    as: 'ona',
    ask: [
      'post',
      '/users/me/subscriptions',
      { subscriptions: '[{"name":"mill"}]', principals: '[999]' },
    ],
  },
  {
    msg: 'Insufficient permission',
    from: 'reference',
    as: 'mel',
    ask: ['patch', `/users/${gone}`, { full_name: 'X Y' }],
  },
  {
    msg: 'Insufficient permission',
    from: 'reference',
    as: 'mel',
    ask: ['post', '/users', { email: 'new@example.com', password: 'abcdefgh1', full_name: 'New' }],
  },
  {
    msg: 'Email is already in use.',
    from: 'interface',
    as: 'ada',
    ask: [
      'post',
      '/users',
      { email: 'mel@example.com', password: 'rather-unheard-of-7', full_name: 'New' },
    ],
  },
  {
    msg: 'Already has an account.',
    from: 'interface',
    as: 'mel',
    ask: ['patch', '/settings', { email: 'ada@example.com' }],
  },
  {
    msg: 'Name too short!',
    from: 'interface',
    as: 'mel',
    ask: ['patch', '/settings', { full_name: 'x' }],
  },
  {
    msg: 'Invalid characters in name!',
    from: 'interface',
    as: 'mel',
    ask: ['patch', '/settings', { full_name: 'a*b' }],
  },
  {
    msg: 'Invalid default_language',
    from: 'interface',
    as: 'mel',
    ask: ['patch', '/settings', { default_language: 'tlh' }],
  },
  {
    msg: 'Invalid timezone: Not a recognized time zone',
    from: 'interface',
    as: 'mel',
    ask: ['patch', '/settings', { timezone: 'Moon' }],
  },
  {
    msg: 'Cannot mute self',
    from: 'interface',
    as: 'mel',
    ask: ['post', `/users/me/muted_users/${mel}`],
  },
  {
    msg: 'User already muted',
    from: 'interface',
    as: 'mel',
    ask: ['post', `/users/me/muted_users/${ada}`],
  },
  {
    msg: 'User is not muted',
    from: 'interface',
    as: 'mel',
    ask: ['delete', `/users/me/muted_users/${mel}`],
  },
  {
    msg: 'Client did not pass any new values.',
    from: 'interface',
    as: 'mel',
    ask: ['post', '/users/me/status'],
  },
  {
    msg: 'Invalid status',
    from: 'interface',
    as: 'mel',
    ask: ['post', '/users/me/presence', { status: 'away' }],
  },
  {
    msg: `Invalid user group ID: 999`,
    from: 'interface',
    as: 'ona',
    ask: ['patch', '/user_groups/999', { name: 'x' }],
  },
  {
    msg: 'No new data supplied',
    from: 'interface',
    as: 'ona',
    ask: ['patch', `/user_groups/${group}`],
  },
  {
    msg: "User group 'millers' already exists.",
    from: 'interface',
    as: 'ona',
    ask: ['post', '/user_groups/create', { name: 'millers', description: '', members: '[]' }],
  },
  {
    msg: "User group name cannot start with 'role:'.",
    from: 'interface',
    as: 'ona',
    ask: ['post', '/user_groups/create', { name: 'role:x', description: '', members: '[]' }],
  },
  {
    msg: `User ${mel} is already a member of this group`,
    from: 'interface',
    as: 'ona',
    ask: ['post', `/user_groups/${group}/members`, { add: `[${mel}]` }],
  },
  {
    msg: `There is no member '${ada}' in this user group`,
    from: 'interface',
    as: 'ona',
    ask: ['post', `/user_groups/${group}/members`, { delete: `[${ada}]` }],
  },
  {
    msg: `User group ${group} is already a subgroup of one of the passed subgroups.`,
    from: 'interface',
    as: 'ona',
    ask: ['post', `/user_groups/${group}/subgroups`, { add: `[${group}]` }],
  },
  {
    msg: 'Nothing to do. Specify at least one of "add", "delete", "add_subgroups" or "delete_subgroups".',
    from: 'interface',
    as: 'ona',
    ask: ['post', `/user_groups/${group}/members`],
  },
  {
    msg: 'This endpoint does not accept bot requests.',
    from: 'interface',
    as: 'bot',
    ask: ['patch', '/settings', { enter_sends: true }],
  },
  { msg: 'No such bot', from: 'interface', as: 'ada', ask: ['delete', '/bots/999'] },
  {
    msg: 'Cannot deactivate the only organization owner.',
    from: 'interface',
    as: 'ona',
    ask: ['delete', '/users/me'],
    code: 'CANNOT_DEACTIVATE_LAST_USER',
  },
];

const realmRows = (): readonly Row[] => [
  {
    msg: 'Must be an organization administrator',
    from: 'interface',
    as: 'mel',
    ask: ['patch', '/realm', { name: 'X' }],
    code: 'UNAUTHORIZED_PRINCIPAL',
  },
  {
    msg: 'Must be an organization owner',
    from: 'interface',
    as: 'ada',
    ask: ['post', '/realm/deactivate'],
    code: 'UNAUTHORIZED_PRINCIPAL',
  },
  {
    msg: 'Linkifier not found.',
    from: 'interface',
    as: 'ada',
    ask: ['delete', '/realm/filters/9'],
  },
  {
    msg: 'The ordered list must enumerate all existing linkifiers exactly once',
    from: 'interface',
    as: 'ada',
    ask: ['patch', '/realm/linkifiers', { ordered_linkifier_ids: '[9]' }],
  },
  {
    msg: "Invalid domain: Domain can't be empty.",
    from: 'interface',
    as: 'ona',
    ask: ['post', '/realm/domains', { domain: ' ', allow_subdomains: false }],
  },
  {
    msg: 'Invalid domain: Domain must have at least one dot (.)',
    from: 'interface',
    as: 'ona',
    ask: ['post', '/realm/domains', { domain: 'example', allow_subdomains: false }],
  },
  {
    msg: "Invalid domain: Consecutive '.' are not allowed.",
    from: 'interface',
    as: 'ona',
    ask: ['post', '/realm/domains', { domain: 'a..example', allow_subdomains: false }],
  },
  {
    msg: "Invalid domain: Subdomains cannot start or end with a '-'.",
    from: 'interface',
    as: 'ona',
    ask: ['post', '/realm/domains', { domain: '-a.example', allow_subdomains: false }],
  },
  {
    msg: "Invalid domain: Domain can only have letters, numbers, '.' and '-'s.",
    from: 'interface',
    as: 'ona',
    ask: ['post', '/realm/domains', { domain: 'a_b.example', allow_subdomains: false }],
  },
  {
    msg: 'Invalid domain: Domain cannot start or end with a dot (.)',
    from: 'interface',
    as: 'ona',
    ask: ['post', '/realm/domains', { domain: '.example', allow_subdomains: false }],
  },
  {
    msg: 'No entry found for domain nowhere.example.',
    from: 'interface',
    as: 'ona',
    ask: ['delete', '/realm/domains/nowhere.example'],
  },
  {
    msg: 'Invalid field type.',
    from: 'interface',
    as: 'ada',
    ask: ['post', '/realm/profile_fields', { name: 'X', field_type: 99 }],
  },
  {
    msg: 'Label cannot be blank.',
    from: 'interface',
    as: 'ada',
    ask: ['post', '/realm/profile_fields', { name: ' ', field_type: 1 }],
  },
  {
    msg: 'A field with that label already exists.',
    from: 'interface',
    as: 'ada',
    ask: ['post', '/realm/profile_fields', { name: 'Phone', field_type: 1 }],
  },
  {
    msg: 'Field must have at least one choice.',
    from: 'interface',
    as: 'ada',
    ask: ['post', '/realm/profile_fields', { name: 'X', field_type: 3, field_data: '{}' }],
  },
  {
    msg: 'Invalid external account type',
    from: 'interface',
    as: 'ada',
    ask: [
      'post',
      '/realm/profile_fields',
      { name: 'X', field_type: 7, field_data: '{"subtype":"x"}' },
    ],
  },
  {
    msg: 'Custom external account must define URL pattern',
    from: 'interface',
    as: 'ada',
    ask: [
      'post',
      '/realm/profile_fields',
      { name: 'X', field_type: 7, field_data: '{"subtype":"custom"}' },
    ],
  },
  {
    msg: "URL pattern must contain '%(username)s'.",
    from: 'interface',
    as: 'ada',
    ask: [
      'post',
      '/realm/profile_fields',
      {
        name: 'X',
        field_type: 7,
        field_data: '{"subtype":"custom","url_pattern":"https://x.example"}',
      },
    ],
  },
  {
    msg: 'Field id 9 not found.',
    from: 'interface',
    as: 'ada',
    ask: ['delete', '/realm/profile_fields/9'],
  },
  {
    msg: 'Invalid data export ID',
    from: 'interface',
    as: 'ada',
    ask: ['delete', '/export/realm/9'],
  },
  {
    msg: "Emoji 'nope' does not exist",
    from: 'interface',
    as: 'ada',
    ask: ['delete', '/realm/emoji/nope'],
    status: 404,
  },
  {
    msg: 'You must upload exactly one file.',
    from: 'interface',
    as: 'ada',
    ask: ['post', '/realm/emoji/green'],
  },
  {
    msg: 'You must upload exactly one icon.',
    from: 'interface',
    as: 'ada',
    ask: ['post', '/realm/icon'],
  },
  {
    msg: 'You must upload exactly one avatar.',
    from: 'interface',
    as: 'mel',
    ask: ['post', '/users/me/avatar'],
  },
  {
    msg: 'You must specify a file to upload',
    from: 'interface',
    as: 'mel',
    ask: ['post', '/user_uploads'],
  },
  { msg: 'Invalid attachment', from: 'interface', as: 'mel', ask: ['delete', '/attachments/9'] },
  { msg: 'No such invitation', from: 'interface', as: 'ona', ask: ['delete', '/invites/9'] },
  {
    msg: 'You must specify at least one email address.',
    from: 'interface',
    as: 'ona',
    ask: ['post', '/invites', { invitee_emails: ' ', stream_ids: '[]' }],
  },
  {
    msg: "Some emails did not validate, so we didn't send any invitations.",
    from: 'interface',
    as: 'ona',
    ask: ['post', '/invites', { invitee_emails: 'nonsense', stream_ids: '[]' }],
    code: 'INVITATION_FAILED',
  },
  {
    msg: "We weren't able to invite anyone.",
    from: 'interface',
    as: 'ona',
    ask: ['post', '/invites', { invitee_emails: 'mel@example.com', stream_ids: '[]' }],
    code: 'INVITATION_FAILED',
  },
  {
    msg: 'Server is not configured to use push notification service.',
    from: 'interface',
    as: 'mel',
    ask: ['post', '/mobile_push/test_notification'],
    code: 'PUSH_SERVICE_NOT_CONFIGURED',
  },
  {
    msg: 'Token does not exist',
    from: 'interface',
    as: 'mel',
    ask: ['delete', '/users/me/android_gcm_reg_id', { token: 'x' }],
  },
  {
    msg: 'Navigation view does not exist.',
    from: 'interface',
    as: 'mel',
    ask: ['delete', '/navigation_views/nope'],
    code: 'NOT_FOUND',
    status: 404,
  },
  {
    msg: "Missing 'name' argument",
    from: 'interface',
    as: 'ona',
    ask: ['post', '/channels/create', { subscribers: '[]' }],
    code: 'REQUEST_VARIABLE_MISSING',
  },
  {
    msg: "Can't decide between 'topic' and 'subject' arguments",
    from: 'interface',
    as: 'mel',
    ask: ['post', '/messages', { ...SEND, subject: 'x' }],
    code: 'REQUEST_CONFUSING_VAR',
  },
  {
    msg: "Bad value for 'message_retention_days': soon",
    from: 'interface',
    as: 'ona',
    ask: ['patch', '/realm', { message_retention_days: 'soon' }],
    code: 'REQUEST_VARIABLE_INVALID',
  },
  {
    msg: 'client_capabilities is not valid JSON',
    from: 'interface',
    as: 'mel',
    ask: ['post', '/register', { client_capabilities: '{' }],
  },
  {
    msg: 'Bad event queue id: nope',
    from: 'reference',
    as: 'mel',
    ask: ['get', '/events', { queue_id: 'nope', last_event_id: -1 }],
    code: 'BAD_EVENT_QUEUE_ID',
  },
];

test.each([
  { about: 'messages', rowsOf: messageRows },
  { about: 'channels', rowsOf: channelRows },
  { about: 'people', rowsOf: peopleRows },
  { about: 'the organization', rowsOf: realmRows },
])('refusals say what clients of the API know: $about', async ({ rowsOf }) => {
  const server = await startServer();
  const rows = rowsOf(await makeWorld(server));
  const said: object[] = [];
  for (const { as, ask } of rows) {
    const [method, path, params] = ask;
    const { status, body } = await server[method](server.people[as], path, params);
    said.push({ ask, status, code: body.code, msg: body.msg });
  }
  expect(said).toEqual(
    rows.map(({ ask, status = 400, code = 'BAD_REQUEST', msg }) => ({ ask, status, code, msg })),
  );
});
