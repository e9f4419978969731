import { PNG } from './imported.ts';
import { MESSAGES, PHOTO, PLAN, SENT_AT, USER_MESSAGES } from './zulip-harbour-messages.ts';

/** Groups of roles, and groups without names, which permissions of certain people are. */
const [NOBODY, ADMINISTRATORS, MEMBERS, EVERYONE, CREATOR, SOME] = [9, 11, 14, 15, 60, 61];

const person = (id: number, name: string, more: object = {}) => ({
  id,
  delivery_email: `${name.toLowerCase().replace(' ', '.')}@harbour.example`,
  email: `user${id}@harbour.example`,
  realm: 2,
  recipient: id + 100,
  full_name: name,
  date_joined: SENT_AT - 1000.25,
  is_active: true,
  is_bot: false,
  bot_type: null,
  bot_owner: null,
  role: 400,
  is_mirror_dummy: false,
  timezone: '',
  avatar_source: 'G',
  avatar_version: 1,
  ...more,
});

const group = (id: number, name: string, more: object = {}) => ({
  id,
  usergroup_ptr: id,
  name,
  description: '',
  creator: 6,
  is_system_group: false,
  deactivated: false,
  realm_for_sharding: 2,
  can_add_members_group: CREATOR,
  can_join_group: NOBODY,
  can_leave_group: EVERYONE,
  can_manage_group: CREATOR,
  can_mention_group: EVERYONE,
  can_remove_members_group: NOBODY,
  ...more,
});

const channel = (id: number, name: string, more: object = {}) => ({
  id,
  name,
  realm: 2,
  date_created: SENT_AT - 900.5,
  creator: 6,
  deactivated: false,
  description: '',
  rendered_description: '',
  recipient: id + 200,
  invite_only: false,
  history_public_to_subscribers: true,
  is_web_public: false,
  message_retention_days: null,
  can_add_subscribers_group: NOBODY,
  can_administer_channel_group: CREATOR,
  can_remove_subscribers_group: ADMINISTRATORS,
  can_send_message_group: EVERYONE,
  can_subscribe_group: NOBODY,
  ...more,
});

const subscription = (
  id: number,
  [user, recipient]: readonly [number, number],
  active = true,
  more: object = {},
) => ({
  id,
  user_profile: user,
  recipient,
  active,
  is_user_active: true,
  is_muted: false,
  color: '#c2c2c2',
  pin_to_top: false,
  desktop_notifications: null,
  audible_notifications: null,
  push_notifications: null,
  email_notifications: null,
  wildcard_mentions_notify: null,
  ...more,
});

const profileField = (id: number, name: string, more: object) => ({
  id,
  realm: 2,
  name,
  hint: '',
  order: 0,
  display_in_profile_summary: false,
  required: false,
  editable_by_user: true,
  field_type: 1,
  field_data: '',
  ...more,
});

const userTopic = (
  id: number,
  [user, stream]: readonly [number, number],
  name: string,
  policy: number,
) => ({
  id,
  user_profile: user,
  stream,
  recipient: stream + 200,
  topic_name: name,
  last_updated: SENT_AT,
  visibility_policy: policy,
});

const status = (id: number, user: number, more: object) => ({
  id,
  user_profile: user,
  timestamp: SENT_AT,
  client: 2,
  emoji_name: '',
  emoji_code: '',
  reaction_type: 'unicode_emoji',
  status_text: '',
  scheduled_end_time: null,
  ...more,
});

const reaction = (id: number, message: number, [name, code, type]: readonly string[]) => ({
  id,
  user_profile: 9,
  message,
  emoji_name: name,
  emoji_code: code,
  reaction_type: type,
});

const REALM = {
  zerver_realm: [
    {
      id: 2,
      name: 'Harbour Works',
      string_id: 'harbour',
      description: 'Boats and tides',
      message_retention_days: 3650,
      icon_source: 'U',
      logo_source: 'U',
      night_logo_source: 'D',
      message_edit_history_visibility_policy: 1,
    },
  ],
  zerver_scheduledmessage: [{ id: 1, sender: 6, content: 'later' }],
  zerver_defaultstream: [{ id: 1, realm: 2, stream: 4 }],
  zerver_customprofilefieldvalue: [
    { id: 1, user_profile: 9, field: 1, value: '+47 1234', rendered_value: '<p></p>' },
    { id: 2, user_profile: 9, field: 2, value: '[12, 6]', rendered_value: null },
    { id: 3, user_profile: 9, field: 7, value: 'lost', rendered_value: null },
    { id: 4, user_profile: 9, field: 3, value: 'no choice', rendered_value: null },
    { id: 5, user_profile: 9, field: 4, value: 'otovale', rendered_value: null },
  ],
  zerver_customprofilefield: [
    profileField(2, 'Mentor', { field_type: 6, order: 2, display_in_profile_summary: true }),
    profileField(4, 'Code', { field_type: 7, field_data: '{"subtype":"github"}', order: 4 }),
    profileField(3, 'Ship', {
      field_type: 3,
      field_data: '{"0":{"text":"Sloop","order":"1"}}',
      order: 3,
    }),
    profileField(1, 'Phone', { order: 1 }),
  ],
  zerver_realmemoji: [
    { id: 1, author: 6, name: 'boat_up', file_name: '34e8.png', deactivated: false },
    { id: 2, author: 7, name: 'old_buoy', file_name: '3b55.png', deactivated: true },
  ],
  zerver_realmfilter: [
    {
      id: 1,
      realm: 2,
      pattern: '#D(?P<id>[0-9]+)',
      url_template: 'https://dock.example/{id}',
      order: 2,
    },
    {
      id: 2,
      realm: 2,
      pattern: 'pier-(?P<no>[0-9]+)',
      url_format_string: 'https://pier.example/%(no)s',
      order: 1,
    },
    { id: 3, realm: 2, pattern: '(bad', url_template: 'https://x.example/', order: 3 },
  ],
  zerver_realmplayground: [
    {
      id: 1,
      realm: 2,
      name: 'Sea shell',
      pygments_language: 'bash',
      url_template: 'https://shell.example/?code={code}',
    },
  ],
  zerver_realmuserdefault: [{ id: 1, realm: 2 }],
  zerver_realmdomain: [{ id: 1, realm: 2, domain: 'harbour.example', allow_subdomains: false }],
  zerver_muteduser: [
    { id: 1, user_profile: 9, muted_user: 12, date_muted: SENT_AT },
    { id: 2, user_profile: 9, muted_user: 99, date_muted: SENT_AT },
  ],
  zerver_userstatus: [
    status(1, 9, { status_text: 'At sea', emoji_name: 'boat', emoji_code: '26f5' }),
    status(2, 6, { emoji_name: 'boat_up', emoji_code: '1', reaction_type: 'realm_emoji' }),
    status(4, 13, {
      emoji_name: 'zulip',
      emoji_code: 'zulip',
      reaction_type: 'zulip_extra_emoji',
    }),
    status(3, 12, { status_text: 'Back at nine', scheduled_end_time: SENT_AT + 60 }),
  ],
  zerver_savedsnippet: [
    {
      id: 1,
      realm: 2,
      user_profile: 9,
      title: 'Hail',
      content: 'Ahoy @**Tom Berg|7**',
      date_created: SENT_AT,
    },
  ],
  zerver_userprofile: [
    person(6, 'Rosa Lind', { role: 100, timezone: 'Europe/Oslo', avatar_source: 'U' }),
    person(13, 'Tide Bot', { is_bot: true, bot_type: 1, bot_owner: 7 }),
    person(9, 'Oto Vale'),
    person(12, 'Lena Gone', { is_active: false }),
  ],
  zerver_userprofile_mirrordummy: [
    person(7, 'Tom Berg', {
      is_active: false,
      is_mirror_dummy: true,
      delivery_email: 'exported-user-4e936ad054e44cb89bc628918aa2c573@harbour.example',
    }),
    person(10, 'Oto Vale', {
      is_active: false,
      is_mirror_dummy: true,
      delivery_email: 'oto2@harbour.example',
    }),
  ],
  zerver_userprofile_crossrealm: [
    { email: 'notice-bot@service.example', id: 4, recipient_id: 3 },
    { email: 'welcome-bot@service.example', id: 5, recipient_id: 5 },
  ],
  zerver_huddle: [{ id: 1, huddle_hash: '359b', recipient: 301, group_size: 3 }],
  zerver_alertword: [
    { id: 1, realm: 2, user_profile: 9, word: 'pump' },
    { id: 2, realm: 2, user_profile: 9, word: 'rope' },
  ],
  zerver_usertopic: [
    userTopic(21, [6, 5], 'noise', 1),
    userTopic(22, [9, 4], 'welcome', 3),
    userTopic(23, [9, 4], 'votes', 2),
    userTopic(24, [9, 4], 'edits', 0),
    userTopic(25, [9, 77], 'lost', 3),
  ],
  zerver_usergroup: [NOBODY, ADMINISTRATORS, MEMBERS, EVERYONE, 38, 41, 44, 50, CREATOR, SOME].map(
    (id) => ({ id, realm: 2 }),
  ),
  zerver_usergroupmembership: [
    { id: 1, user_group: 38, user_profile: 9 },
    { id: 2, user_group: 41, user_profile: 6 },
    { id: 3, user_group: 50, user_profile: 9 },
    { id: 4, user_group: CREATOR, user_profile: 6 },
    { id: 5, user_group: SOME, user_profile: 9 },
  ],
  zerver_groupgroupmembership: [
    { id: 7, supergroup: 14, subgroup: 38 },
    { id: 8, supergroup: 38, subgroup: 41 },
    { id: 9, supergroup: 38, subgroup: 14 },
    { id: 10, supergroup: SOME, subgroup: ADMINISTRATORS },
  ],
  zerver_namedusergroup: [
    ...Object.entries({ nobody: NOBODY, administrators: ADMINISTRATORS, everyone: EVERYONE }).map(
      ([role, id]) => group(id, `role:${role}`, { is_system_group: true }),
    ),
    group(14, 'role:members', { is_system_group: true }),
    group(38, 'crew', { description: 'Deck crew', can_join_group: MEMBERS }),
    group(41, 'mates', { can_manage_group: 38 }),
    group(44, 'gone-group', { deactivated: true }),
  ],
  zerver_stream: [
    channel(4, 'quay', {
      description: 'Talk at the **quay**',
      message_retention_days: -1,
      can_send_message_group: ADMINISTRATORS,
    }),
    channel(5, 'Yard & tools > new', { can_send_message_group: 38, can_subscribe_group: 44 }),
    channel(8, 'window', { is_web_public: true, can_send_message_group: SOME }),
    channel(9, 'wreck', { deactivated: true }),
  ],
  zerver_recipient: [
    ...[6, 13, 9, 12, 7, 10].map((id) => ({ id: id + 100, type: 1, type_id: id })),
    ...[4, 5, 8, 9].map((id) => ({ id: id + 200, type: 2, type_id: id })),
    { id: 301, type: 3, type_id: 1 },
  ],
  zerver_subscription: [
    subscription(0, [6, 204]),
    subscription(1, [9, 204], true, {
      color: '#76ce90',
      pin_to_top: true,
      is_muted: true,
      push_notifications: true,
      email_notifications: false,
    }),
    subscription(2, [7, 204]),
    subscription(4, [10, 204], false),
    subscription(5, [6, 208]),
    ...[6, 9, 7].map((user, index) => subscription(6 + index, [user, 301])),
  ],
  zerver_reaction: [
    reaction(1, 20, ['boat_up', '1', 'realm_emoji']),
    reaction(2, 20, ['wave', '1f44b', 'unicode_emoji']),
    reaction(3, 20, ['one', '0031-20e3', 'unicode_emoji']),
    reaction(4, 20, ['old_buoy', '2', 'realm_emoji']),
    reaction(5, 20, ['zulip', 'zulip', 'zulip_extra_emoji']),
  ],
};

/**
 * A reduced copy of an export that the service's own code made (docs/decisions/0290): the tables
 * and columns that a reader needs, in the shapes that were seen, with people who are made up.
 */
export const HARBOUR = {
  'harbour/realm.json': REALM,
  'harbour/attachment.json': {
    zerver_attachment: [
      { id: 1, file_name: 'tide plan 1.txt', path_id: PLAN, owner: 6, messages: [23] },
      { id: 2, file_name: 'båt.png', path_id: PHOTO, owner: 7, messages: [25] },
    ],
  },
  'harbour/uploads/records.json': [PLAN, PHOTO].map((path) => ({ s3_path: path, path })),
  [`harbour/uploads/${PLAN}`]: 'high at nine',
  [`harbour/uploads/${PHOTO}`]: PNG,
  'harbour/avatars/records.json': ['2/3eca.original', '2/3eca.png'].map((path) => ({
    user_profile_id: 6,
    s3_path: path,
    path,
  })),
  'harbour/avatars/2/3eca.original': PNG,
  'harbour/avatars/2/3eca.png': PNG,
  'harbour/realm_icons/records.json': ['icon.original', 'icon.png', 'logo.original'].map(
    (name) => ({
      realm_id: 2,
      path: `2/${name}`,
      s3_path: `2/${name}`,
    }),
  ),
  'harbour/realm_icons/2/icon.original': PNG,
  'harbour/realm_icons/2/icon.png': PNG,
  'harbour/realm_icons/2/logo.original': PNG,
  'harbour/emoji/records.json': ['34e8.png', '34e8.png.original', '3b55.png'].map((name) => ({
    path: `2/emoji/images/${name}`,
    s3_path: `2/emoji/images/${name}`,
    file_name: name.replace('.original', ''),
  })),
  'harbour/emoji/2/emoji/images/34e8.png': PNG,
  'harbour/emoji/2/emoji/images/34e8.png.original': PNG,
  'harbour/emoji/2/emoji/images/3b55.png': PNG,
  'harbour/messages-000001.json': { zerver_message: MESSAGES, zerver_usermessage: USER_MESSAGES },
};
