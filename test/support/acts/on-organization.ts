import fc from 'fast-check';
import { png } from '../files/images.ts';
import { uploadTo } from '../files/uploads.ts';
import { acts } from './acts.ts';
import { managers, maybe, setting, who } from './administration.ts';

const realm = acts(
  'realm',
  {
    by: managers,
    name: maybe(fc.constantFrom('Tea House', 'Café')),
    waiting_period_threshold: maybe(fc.constantFrom(0, 3)),
    enable_spectator_access: maybe(fc.boolean()),
    topics_policy: maybe(fc.constantFrom('allow_empty_topic', 'disable_empty_topic')),
    message_edit_history_visibility_policy: maybe(fc.constantFrom('all', 'moves', 'none')),
    jitsi_server_url: maybe(fc.constantFrom('default', 'https://video.example.com')),
    new_stream_announcements_stream_id: maybe(fc.constantFrom(-1, 1, 2)),
    signup_announcements_stream_id: maybe(fc.constantFrom(-1, 1, 3)),
    moderation_request_channel_id: maybe(fc.constantFrom(-1, 3)),
    emails_restricted_to_domains: maybe(fc.boolean()),
    message_content_edit_limit_seconds: maybe(fc.constantFrom(60, 'unlimited')),
    default_language: maybe(fc.constantFrom('de', 'en')),
    send_channel_events_messages: maybe(fc.boolean()),
    enable_read_receipts: maybe(fc.boolean()),
  },
  (server, { by, ...params }) => server.patch(server.people[by], '/realm', params),
);

const permission = acts(
  'permission',
  {
    name: fc.constantFrom(
      'can_mention_many_users_group',
      'can_create_public_channel_group',
      'can_create_private_channel_group',
      'can_create_web_public_channel_group',
      'can_invite_users_group',
      'can_manage_all_groups',
      'can_create_bots_group',
      'can_add_custom_emoji_group',
      'can_move_messages_between_channels_group',
      'can_add_subscribers_group',
      'direct_message_permission_group',
    ),
    value: setting,
  },
  (server, { name, value }) =>
    server.patch(server.people.ona, '/realm', { [name]: { new: value } }),
);

const defaults = acts(
  'defaults',
  {
    by: managers,
    twenty_four_hour_time: maybe(fc.boolean()),
    email_address_visibility: maybe(fc.integer({ min: 1, max: 5 })),
    default_language: maybe(fc.constantFrom('de', 'en')),
    enable_drafts_synchronization: maybe(fc.boolean()),
  },
  (server, { by, ...params }) =>
    server.patch(server.people[by], '/realm/user_settings_defaults', params),
);

const field = acts(
  'field',
  {
    by: managers,
    field_type: fc.constantFrom(1, 2, 4, 5, 6, 8),
    name: fc.constantFrom('Tea', 'Cake', 'Hat'),
    required: maybe(fc.boolean()),
    editable_by_user: maybe(fc.boolean()),
    display_in_profile_summary: maybe(fc.boolean()),
  },
  (server, { by, ...params }) => server.post(server.people[by], '/realm/profile_fields', params),
);

const options = ['a', 'b', 'c'].map((text, index) => [text, { text, order: `${index + 1}` }]);

const optionField = acts(
  'field of options',
  { id: maybe(fc.integer({ min: 1, max: 4 })), kept: fc.subarray(options, { minLength: 1 }) },
  (server, { id, kept }) => {
    const field_data = Object.fromEntries(kept);
    const { ona } = server.people;
    return id === undefined
      ? server.post(ona, '/realm/profile_fields', { name: 'Opt', field_type: 3, field_data })
      : server.patch(ona, `/realm/profile_fields/${id}`, { field_data });
  },
);

const changedField = acts(
  'changed field',
  {
    id: fc.integer({ min: 1, max: 4 }),
    isOver: fc.constantFrom(false, false, true),
    name: maybe(fc.constantFrom('Tea', 'Cake', 'Hat')),
    hint: maybe(fc.constantFrom('', 'hm')),
    required: maybe(fc.boolean()),
    editable_by_user: maybe(fc.boolean()),
    display_in_profile_summary: maybe(fc.boolean()),
  },
  (server, { id, isOver, ...params }) =>
    isOver
      ? server.delete(server.people.ona, `/realm/profile_fields/${id}`)
      : server.patch(server.people.ona, `/realm/profile_fields/${id}`, params),
);

const ordered = acts('ordered', { by: managers }, async (server, { by }) => {
  const known = await server.get(server.people.ona, '/realm/profile_fields');
  // Somebody gave her another address.
  if (known.status === 401) return known;
  const order = known.body.custom_fields.map(({ id }: { id: number }) => id).reverse();
  return server.patch(server.people[by], '/realm/profile_fields', { order });
});

const image = await png(16, 16);

const emoji = acts(
  'emoji',
  { by: who, name: fc.constantFrom('tea', 'cake', 'smile'), isOver: fc.boolean() },
  (server, { by, name, isOver }) =>
    isOver
      ? server.delete(server.people[by], `/realm/emoji/${name}`)
      : uploadTo(server, server.people[by], `/realm/emoji/${name}`, {
          content: image,
          filename: 'tea.png',
          contentType: 'image/png',
        }),
);

const linkifier = acts(
  'linkifier',
  { by: managers, number: fc.integer({ min: 1, max: 3 }), isOver: fc.boolean() },
  (server, { by, number, isOver }) =>
    isOver
      ? server.delete(server.people[by], `/realm/filters/${number}`)
      : server.post(server.people[by], '/realm/filters', {
          pattern: `T${number}-(?P<id>[0-9]+)`,
          url_template: 'https://tea.example.com/{id}',
        }),
);

const playground = acts(
  'playground',
  { by: managers, number: fc.integer({ min: 1, max: 3 }), isOver: fc.boolean() },
  (server, { by, number, isOver }) =>
    isOver
      ? server.delete(server.people[by], `/realm/playgrounds/${number}`)
      : server.post(server.people[by], '/realm/playgrounds', {
          name: `Play ${number}`,
          pygments_language: 'Python',
          url_template: 'https://tea.example.com/{code}',
        }),
);

const domain = acts(
  'domain',
  {
    by: managers,
    name: fc.constantFrom('tea.com', 'cake.com'),
    op: fc.integer({ min: 0, max: 2 }),
  },
  (server, { by, name, op }) => {
    const as = server.people[by];
    if (op === 0) return server.delete(as, `/realm/domains/${name}`);
    if (op === 1) return server.patch(as, `/realm/domains/${name}`, { allow_subdomains: true });
    return server.post(as, '/realm/domains', { domain: name, allow_subdomains: false });
  },
);

/** Acts on an organization itself, with their frequency. */
export const ACTS_ON_ORGANIZATION = [
  { weight: 4, arbitrary: realm },
  { weight: 3, arbitrary: permission },
  { weight: 2, arbitrary: defaults },
  { weight: 2, arbitrary: field },
  { weight: 2, arbitrary: optionField },
  { weight: 3, arbitrary: changedField },
  { weight: 1, arbitrary: ordered },
  { weight: 2, arbitrary: emoji },
  { weight: 1, arbitrary: linkifier },
  { weight: 1, arbitrary: playground },
  { weight: 1, arbitrary: domain },
];
