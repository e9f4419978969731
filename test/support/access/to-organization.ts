import type { Params } from '../client.ts';
import { giveSecondStep } from '../people/second-steps.ts';
import {
  administrators,
  administratorsByRole,
  all,
  everyone,
  nonGuests,
  only,
  owners,
  ownersByRole,
  type Row,
  row,
} from './access.ts';
import { need } from './world.ts';

/** The people of the test have no passwords, and did not log in a short time ago. */
const confirmedByPerson = only([]);

/** As long as a public key is. */
const KEY = Buffer.alloc(32, 7).toString('base64');

/**
 * The organization, its accounts, groups and bots, one's own settings, and what anybody may know.
 */
export const ACCESS_TO_ORGANIZATION: Readonly<Record<string, Row>> = {
  'POST /invites/multiuse': row(administrators, {}),
  'GET /invites': row(nonGuests, {}),
  'DELETE /invites/multiuse/{invite_id}': row(administrators, async (world) => ({
    path: `/invites/multiuse/${await world.invitation()}`,
  })),

  'POST /invites': row(nonGuests, (world) => ({
    params: { invitee_emails: `${world.fresh('new')}@example.com`, stream_ids: [] },
  })),
  // An invitation of the owner, by mail.
  'DELETE /invites/{invite_id}': row(administrators, async (world) => ({
    path: `/invites/${await world.mailInvitation()}`,
  })),
  'POST /invites/{invite_id}/resend': row(administrators, async (world) => ({
    path: `/invites/${await world.mailInvitation()}/resend`,
  })),

  'GET /navigation_views': row(everyone, {}),
  'POST /navigation_views': row(everyone, { fragment: 'inbox', is_pinned: true }),
  'PATCH /navigation_views/{fragment...}': row(everyone, ofView({ is_pinned: false })),
  'DELETE /navigation_views/{fragment...}': row(everyone, ofView({})),

  'POST /realm/filters': row(administratorsByRole, (world) => ({
    params: world.linkifierParams(),
  })),
  'PATCH /realm/filters/{filter_id}': row(administratorsByRole, async (world) => ({
    path: `/realm/filters/${await world.linkifier()}`,
    params: world.linkifierParams(),
  })),
  'DELETE /realm/filters/{filter_id}': row(administratorsByRole, async (world) => ({
    path: `/realm/filters/${await world.linkifier()}`,
  })),
  'GET /realm/linkifiers': row(everyone, {}),
  'PATCH /realm/linkifiers': row(administratorsByRole, async (world) => ({
    params: { ordered_linkifier_ids: await world.linkifierIds() },
  })),

  'PATCH /realm': row(administratorsByRole, { description: 'changed' }),
  'POST /realm/test_welcome_bot_custom_message': row(administratorsByRole, {
    welcome_message_custom_text: 'Hi',
  }),
  'PATCH /realm/user_settings_defaults': row(administratorsByRole, { enter_sends: true }),
  // The asker after the owner finds the organization active again.
  'POST /realm/deactivate': row(ownersByRole, async (world, asker) => {
    if (asker === 'stranger') await world.reactivate();
    return {};
  }),
  'GET /realm/audit_log': row(administratorsByRole, {}),
  'GET /realm/domains': row(everyone, {}),
  'POST /realm/domains': row(ownersByRole, (world) => ({
    params: { domain: `${world.fresh('d')}.example.com`, allow_subdomains: true },
  })),
  'PATCH /realm/domains/{domain}': row(ownersByRole, async (world) => ({
    path: `/realm/domains/${await world.domain()}`,
    params: { allow_subdomains: true },
  })),
  'DELETE /realm/domains/{domain}': row(ownersByRole, async (world) => ({
    path: `/realm/domains/${await world.domain()}`,
  })),
  'GET /realm/emoji': row(everyone, {}),
  'POST /realm/emoji/{emoji_name}': row(nonGuests, (world) => ({
    path: `/realm/emoji/${world.fresh('mog')}`,
    file: world.image,
  })),
  // An emoji of the owner.
  'DELETE /realm/emoji/{emoji_name}': row(administrators, async (world) => ({
    path: `/realm/emoji/${await world.emoji()}`,
  })),
  'GET /realm/icon': row(everyone, {}),
  'POST /realm/icon': row(administratorsByRole, (world) => ({ file: world.image })),
  'DELETE /realm/icon': row(administratorsByRole, {}),
  'GET /realm/logo': row(everyone, { night: true }),
  'POST /realm/logo': row(administratorsByRole, (world) => ({
    path: '/realm/logo?night=true',
    file: world.image,
  })),
  'DELETE /realm/logo': row(administratorsByRole, { night: true }),
  'POST /realm/playgrounds': row(administratorsByRole, (world) => ({
    params: world.playgroundParams(),
  })),
  'DELETE /realm/playgrounds/{playground_id}': row(administratorsByRole, async (world) => ({
    path: `/realm/playgrounds/${await world.playground()}`,
  })),
  'POST /export/realm': row(administrators, {}),
  'GET /export/realm': row(administrators, {}),
  'DELETE /export/realm/{export_id}': row(administrators, async (world) => ({
    path: `/export/realm/${await world.archive()}`,
  })),
  'GET /export/realm/consents': row(administrators, {}),
  'GET /realm/profile_fields': row(everyone, {}),
  'POST /realm/profile_fields': row(administratorsByRole, (world) => ({
    params: { name: world.fresh('Field '), field_type: 1 },
  })),
  'PATCH /realm/profile_fields': row(administratorsByRole, async (world) => ({
    params: { order: await world.fieldIds() },
  })),
  'PATCH /realm/profile_fields/{field_id}': row(administratorsByRole, async (world) => ({
    path: `/realm/profile_fields/${await world.field()}`,
    params: { hint: 'changed' },
  })),
  'DELETE /realm/profile_fields/{field_id}': row(administratorsByRole, async (world) => ({
    path: `/realm/profile_fields/${await world.field()}`,
  })),
  'PATCH /users/me/profile_data': row(everyone, async (world) => ({
    params: { data: [{ id: await world.field(), value: 'tea' }] },
  })),
  'DELETE /users/me/profile_data': row(everyone, async (world) => ({
    params: { data: [await world.field()] },
  })),

  // Groups that the owner made, and that nobody else manages.
  'POST /user_groups/create': row(nonGuests, (world) => ({
    params: { name: world.fresh('group'), description: '', members: [] },
  })),
  'PATCH /user_groups/{user_group_id}': row(owners, ofGroup('', { description: 'changed' })),
  'POST /user_groups/{user_group_id}/deactivate': row(owners, ofGroup('/deactivate')),
  'GET /user_groups': row(nonGuests, {}),
  'POST /user_groups/{user_group_id}/members': row(owners, (world, asker) =>
    ofGroup('/members', { add: [world.server.people.max.id] })(world, asker),
  ),
  'GET /user_groups/{user_group_id}/members': row(everyone, ofGroup('/members')),
  'GET /user_groups/{user_group_id}/members/{user_id}': row(everyone, ofGroup('/members/1')),
  'POST /user_groups/{user_group_id}/subgroups': row(owners, async (world, asker) =>
    ofGroup('/subgroups', { add: [await world.group()] })(world, asker),
  ),
  'GET /user_groups/{user_group_id}/subgroups': row(everyone, ofGroup('/subgroups')),

  'POST /register': row(everyone, { event_types: ['message'] }),
  'GET /events': row(everyone, async (world, asker) => {
    const { queue_id, last_event_id } = await world.queue(asker);
    return { params: { queue_id, last_event_id, dont_block: true } };
  }),
  'DELETE /events': row(everyone, async (world, asker) => ({
    params: { queue_id: (await world.queue(asker)).queue_id },
  })),

  'POST /bots': row(nonGuests, (world) => ({
    params: { full_name: world.fresh('Bot '), short_name: world.fresh('bot') },
  })),
  'GET /bots': row(everyone, {}),
  // The bot of the test realm, which is somebody else's.
  'PATCH /bots/{bot_id}': row(administrators, (world) => ({
    path: `/bots/${world.server.people.bot.id}`,
    params: { default_all_public_streams: true },
  })),
  'DELETE /bots/{bot_id}': row(administrators, async (world) => ({
    path: `/bots/${await world.bot()}`,
  })),
  'GET /bots/{bot_id}/api_key': row(administrators, async (world) => ({
    path: `/bots/${await world.bot()}/api_key`,
  })),
  'POST /bots/{bot_id}/api_key/regenerate': row(administrators, async (world) => ({
    path: `/bots/${await world.bot()}/api_key/regenerate`,
  })),
  'GET /bots/{bot_id}/api_keys': row(administrators, async (world) => ({
    path: `/bots/${await world.bot()}/api_keys`,
  })),
  'DELETE /bots/{bot_id}/api_keys/{key_id}': row(administrators, async (world) => {
    const id = await world.bot();
    return { path: `/bots/${id}/api_keys/${await world.keyOf(id)}` };
  }),
  'GET /users/me/api_keys': row(everyone, {}),
  'DELETE /users/me/api_keys/{key_id}': {
    outcomes: everyone,
    request: async (world, asker) => ({
      path: `/users/me/api_keys/${await world.keyOf(world.people[asker]?.id ?? 1)}`,
    }),
    after: ({ restoreKeys }) => restoreKeys(),
  },
  'POST /users/me/api_key/regenerate': {
    outcomes: everyone,
    request: () => ({}),
    after: ({ restoreKeys }) => restoreKeys(),
  },
  'GET /users/me/second_step': row(everyone, {}),
  'POST /users/me/second_step/app': row(confirmedByPerson, {}),
  'POST /users/me/second_step/app/confirm': row(only([]), { code: '000000' }),
  'DELETE /users/me/second_step/app': row(confirmedByPerson, {}),
  'POST /users/me/second_step/recovery_codes': row(confirmedByPerson, {}),
  'POST /users/me/passkeys/options': row(confirmedByPerson, {}),
  'POST /users/me/passkeys': row(only([]), { name: 'x', response: '{}' }),
  'DELETE /users/me/passkeys/{passkey_id}': row(confirmedByPerson, () => ({
    path: '/users/me/passkeys/x',
  })),
  'DELETE /users/{user_id}/second_step': row(administrators, async (world) => {
    const id = await world.account();
    await giveSecondStep(world.server, id);
    return { path: `/users/${id}/second_step` };
  }),
  'GET /sessions': row(everyone, {}),
  'DELETE /sessions': row(everyone, async (world, asker) => {
    await world.sessionOf(world.people[asker]?.id ?? 1);
    return {};
  }),
  // Each asks for a session of its own.
  'DELETE /sessions/{session_id}': row(everyone, async (world, asker) => ({
    path: `/sessions/${await world.sessionOf(world.people[asker]?.id ?? 1)}`,
  })),
  'PUT /bot_storage': row(everyone, { storage: { cakes: '3' } }),
  'GET /bot_storage': row(everyone, {}),
  'DELETE /bot_storage': row(everyone, {}),

  'GET /users/me/alert_words': row(everyone, {}),
  'POST /users/me/alert_words': row(everyone, { alert_words: ['cake'] }),
  'DELETE /users/me/alert_words': row(everyone, { alert_words: ['cake'] }),
  'POST /users/me/onboarding_steps': row(everyone, {
    onboarding_step: 'intro_inbox_view_modal',
  }),
  'POST /users/me/muted_users/{muted_user_id}': row(everyone, ({ server }) => ({
    path: `/users/me/muted_users/${server.people.bot.id}`,
  })),
  'DELETE /users/me/muted_users/{muted_user_id}': row(everyone, ({ server }) => ({
    path: `/users/me/muted_users/${server.people.bot.id}`,
  })),

  'POST /users/me/avatar': row(everyone, (world) => ({ file: world.image })),
  'DELETE /users/me/avatar': row(everyone, {}),

  'POST /users/me/presence': row(everyone, { status: 'active' }),
  'GET /users/{user_id_or_email}/presence': row(everyone, async (world) => {
    await world.as('owner', 'post', '/users/me/presence', { status: 'active' });
    return { path: '/users/1/presence' };
  }),
  'GET /realm/presence': row(everyone, {}),
  'POST /users/{user_id}/status': row(administrators, () => ({
    path: '/users/4/status',
    params: { status_text: 'on leave' },
  })),
  'GET /users/{user_id}/status': row(everyone, () => ({ path: '/users/4/status' })),
  'POST /users/me/status': row(everyone, { status_text: 'at lunch' }),
  'PATCH /settings': row(everyone, { twenty_four_hour_time: true }),
  'PATCH /settings/display': row(everyone, { twenty_four_hour_time: true }),
  'PATCH /settings/notifications': row(everyone, { enable_sounds: false }),
  'POST /mobile_push/register': row(only([], 'PUSH_SERVICE_NOT_CONFIGURED'), {
    token_kind: 'fcm',
    push_account_id: 1,
    push_public_key: KEY,
    bouncer_public_key: KEY,
    encrypted_push_registration: KEY,
  }),
  'POST /mobile_push/e2ee/test_notification': row(only([], 'PUSH_SERVICE_NOT_CONFIGURED'), {}),
  'POST /mobile_push/test_notification': row(only([], 'PUSH_SERVICE_NOT_CONFIGURED'), {}),
  'POST /users/me/android_gcm_reg_id': row(everyone, { token: 'fcm-token' }),
  'DELETE /users/me/android_gcm_reg_id': row(everyone, { token: 'fcm-token' }),
  'POST /users/me/apns_device_token': row(everyone, { token: 'c0ffee', appid: 'org.example' }),
  'GET /users/me/web_push': row(everyone, {}),
  'POST /users/me/web_push': row(everyone, {
    endpoint: 'https://push.example.com/s/1',
    p256dh:
      'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
    auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  }),
  'DELETE /users/me/web_push': row(everyone, { endpoint: 'https://push.example.com/s/1' }),
  'DELETE /users/me/apns_device_token': row(everyone, { token: 'c0ffee' }),
  'GET /users/me/push_devices': row(everyone, {}),
  'DELETE /users/me/push_devices/{push_device_id}': row(everyone, async (world, asker) => ({
    path: `/users/me/push_devices/${await world.pushDeviceOf(world.people[asker]?.id ?? 1)}`,
  })),

  'GET /users/me': row(everyone, {}),
  'GET /users': row(everyone, {}),
  'GET /users/{user_id_or_email}': row(everyone, () => ({ path: '/users/1' })),
  'POST /users': row(administrators, (world) => ({
    params: {
      email: `${world.fresh('new')}@example.com`,
      password: 'correct horse',
      full_name: 'Nia New',
    },
  })),
  // The request changes somebody else, who is a member.
  'PATCH /users/{user_id_or_email}': row(administrators, async (world) => ({
    path: `/users/${await world.account()}`,
    params: { full_name: 'Nia New', role: 600 },
  })),
  'DELETE /users/{user_id_or_email}': row(administrators, async (world) => ({
    path: `/users/${await world.account()}`,
  })),
  'DELETE /users/me': {
    outcomes: { ...everyone, owner: 'CANNOT_DEACTIVATE_LAST_USER' },
    request: () => ({}),
    // The asker's key ended with the account. The next asker is to be refused only because of their
    // role.
    after: async ({ server, people, restoreKeys }, asker) => {
      await server.post(server.people.ona, `/users/${people[asker]?.id ?? 1}/reactivate`);
      await restoreKeys();
    },
  },
  'POST /users/{user_id}/reactivate': row(administrators, async ({ server, account }) => {
    const id = await account();
    need(await server.delete(server.people.ona, `/users/${id}`));
    return { path: `/users/${id}/reactivate` };
  }),

  'GET /server_settings': row(all('ok'), {}),
  // Only the key in the URL counts; people are to give theirs to no other service. Bots:
  // receive-webhook.test.ts.
  'POST /external/{integration}': row(
    { ...only([]), nobody: 'INVALID_API_KEY', stranger: 'INVALID_API_KEY' },
    (world, asker) => ({
      path: '/external/json',
      params: { api_key: world.people[asker]?.apiKey ?? 'nobody', payload: '1' },
    }),
  ),
  // Names that fail too often have to wait, so each asks by one of its own.
  'POST /fetch_api_key': row(all('AUTHENTICATION_FAILED'), (world) => ({
    params: { username: `${world.fresh('name')}@example.com`, password: 'wrong' },
  })),
  'POST /dev_fetch_api_key': row(all('BAD_REQUEST'), { username: 'mel@example.com' }),
  'GET /dev_list_users': row(all('BAD_REQUEST'), {}),
  'GET /calls/bigbluebutton/create': row(only([]), { meeting_name: 'x' }),
  'POST /calls/zoom/create': row(only([]), {}),
  'POST /calls/webex/create': row(only([]), {}),
  'POST /calls/nextcloud_talk/create': row(only([]), { room_name: 'x' }),
  'POST /calls/constructorgroups/create': row(only([]), {}),
  // The requests of this table come from no page of the server.
  'POST /sessions': row(all('BAD_REQUEST'), { username: 'x@example.com', password: 'x' }),
  'POST /sessions/demo': row(all('BAD_REQUEST'), { user_id: 1 }),
  'DELETE /sessions/current': row(all('BAD_REQUEST'), {}),
  // There is no mail server.
  'POST /password_reset': row(all('BAD_REQUEST'), { username: 'x@example.com' }),
  // Each is refused before anything of an account is looked at.
  'POST /sessions/passkey/options': row(all('BAD_REQUEST'), {}),
  'POST /sessions/passkey': row(all('BAD_REQUEST'), { response: '{}' }),
  'POST /jwt/fetch_api_key': row(all('BAD_REQUEST'), { token: 'a.b.c' }),
  'GET /openapi.json': row(all('ok'), {}),
};

function ofGroup(rest: string, params: Params = {}): Row['request'] {
  return async (world) => ({ path: `/user_groups/${await world.group()}${rest}`, params });
}

/** A view of who asks. */
function ofView(params: Params): Row['request'] {
  return async (world, asker) => {
    const fragment = world.fresh('narrow/topic/');
    const view = { fragment, is_pinned: true, name: world.fresh('View ') };
    await world.as(asker, 'post', '/navigation_views', view);
    return { path: `/navigation_views/${fragment}`, params };
  };
}
