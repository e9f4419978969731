import { expect } from 'vitest';
import { runCommand } from '../../../src/admin/commands.ts';
import { hashOfKey } from '../../../src/operations/access/accounts.ts';
import * as sessions from '../../../src/operations/accounts/sessions.ts';
import { png } from '../files/images.ts';
import { upload, uploadTo } from '../files/uploads.ts';
import { FIREFOX } from '../people/session-browser.ts';
import { startServer } from '../start-server.ts';
import { later, linkifierParams, type Names } from './names-of-realms.ts';

export const spell = { content: 'xyzzy' };

/**
 * A realm with a channel, and another with more of everything, so that its ids are nowhere in the
 * first.
 */
export async function twoRealms() {
  const server = await startServer({ channels: ['general'] });
  const acme = await server.addRealm('acme');
  const { admin: eve } = acme;
  const { realms } = server.app;
  await runCommand(realms, 'users import', {
    realm: 'acme',
    users: Array.from({ length: 12 }, (_, index) => ({
      full_name: `Xyzzy ${index}`,
      email: `xyzzy${index}@example.com`,
    })),
  });
  const password = 'correct horse';
  const account = { realm: 'acme', email: 'xyzzy@example.com', name: 'Xyzzy', password };
  const [made] = (await runCommand(realms, 'user create', account)) as [{ user_id: number }];
  await acme.post(eve, '/users/me/subscriptions', {
    subscriptions: ['one', 'two', 'three', 'xyzzy'].map((name) => ({ name })),
  });
  const bot = { realm: 'acme', email: 'bot@example.com', name: 'Xyzzy Bot', owner: eve.email };
  const [{ api_key: botKey }] = (await runCommand(realms, 'bot create', bot)) as [
    { api_key: string },
  ];
  const to = { type: 'channel', to: 'xyzzy', topic: 'xyzzy' };
  for (let index = 0; index < 5; index++) await acme.post(eve, '/messages', { ...to, ...spell });
  const { body: last } = await acme.post(eve, '/messages', { ...to, ...spell });
  const queue = await acme.register(eve);
  const { body: group } = await acme.post(eve, '/user_groups/create', {
    name: 'xyzzy',
    description: '',
    members: [eve.id],
  });
  const { body: linkifier } = await acme.post(eve, '/realm/filters', linkifierParams);
  const { body: field } = await acme.post(eve, '/realm/profile_fields', {
    name: 'xyzzy',
    field_type: 1,
  });
  const { body: playground } = await acme.post(eve, '/realm/playgrounds', {
    name: 'xyzzy',
    pygments_language: 'Rust',
    url_template: 'https://example.com/{code}',
  });
  const { body: archive } = await acme.post(eve, '/export/realm');
  await uploadTo(acme, eve, '/realm/emoji/xyzzy', { content: await png(8, 8) });
  // Only owners add domains, and the realm has none.
  await server.app.realms
    .named('acme')
    ?.perform((tx) => tx.realmDomains.put(['xyzzy.example.com'], { allowsSubdomains: false }));
  const { body: scheduled } = await acme.post(eve, '/scheduled_messages', {
    ...later,
    type: 'channel',
    to: 4,
  });
  const { body: drafted } = await acme.post(eve, '/drafts', {
    drafts: [{ ...spell, topic: 'xyzzy', type: 'stream', to: [4] }],
  });
  const { body: snippet } = await acme.post(eve, '/saved_snippets', { ...spell, title: 'xyzzy' });
  const { body: reminder } = await acme.post(eve, '/reminders', {
    message_id: last.id,
    scheduled_delivery_timestamp: later.scheduled_delivery_timestamp,
  });
  const { body: folder } = await acme.post(eve, '/channel_folders/create', { name: 'xyzzy' });
  const defaults = { group_name: 'xyzzy', stream_names: ['xyzzy'] };
  expect((await acme.post(eve, '/default_stream_groups/create', defaults)).status).toBe(200);
  await upload(acme, eve, { content: 'xyzzy' });
  const { attachments } = (await acme.get(eve, '/attachments')).body;
  await acme.post(eve, '/invites/multiuse');
  const { invites } = (await acme.get(eve, '/invites')).body;
  const sessionId = await server.app.realms.named('acme')?.perform((tx) => {
    sessions.begin(tx, eve.id, { userAgent: FIREFOX, address: '192.0.2.7' });
    return [...tx.sessions.keysUnder([eve.id])][0]?.[1].slice(0, 16);
  });
  await acme.post(eve, '/users/me/android_gcm_reg_id', { token: 'xyzzy' });
  const { push_devices: devices } = (await acme.get(eve, '/users/me/push_devices')).body;
  const there: Names = {
    userId: made.user_id,
    email: account.email,
    channelId: 4,
    channel: 'xyzzy',
    messageId: last.id,
    queueId: queue.id,
    eventId: queue.lastEventId,
    groupId: group.group_id,
    fieldId: field.id,
    playgroundId: playground.id,
    exportId: archive.id,
    scheduledId: scheduled.scheduled_message_id,
    draftId: drafted.ids[0],
    snippetId: snippet.saved_snippet_id,
    reminderId: reminder.reminder_id,
    folderId: folder.channel_folder_id,
    defaultGroupId: 1,
    attachmentId: attachments[0].id,
    fileUrl: `/user_uploads/${attachments[0].path_id}`,
    linkifierId: linkifier.id,
    invitationId: invites[0].id,
    password,
    botKey,
    keyId: hashOfKey(eve.apiKey).slice(0, 16),
    pushDeviceId: devices[0].id,
    sessionId: sessionId ?? expect.fail('acme is there'),
  };
  return { server, acme, eve, there };
}
