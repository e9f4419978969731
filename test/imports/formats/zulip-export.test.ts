import { expect, test } from 'vitest';
import { FlagBit } from '../../../src/domain/wire/flags.ts';
import { systemGroupId } from '../../../src/domain/wire/system-groups.ts';
import { zulip } from '../../../src/imports/formats/zulip/zulip.ts';
import { download } from '../../support/files/uploads.ts';
import { confab } from '../../support/processes/run.ts';
import { startServer } from '../../support/start-server.ts';
import { rowsOf, rowsOfKind, shown } from './archive-in-memory.ts';
import { idNamed, importOnce, inChannel, messagesIn, reportOf, written } from './imported.ts';
import { HARBOUR } from './zulip-harbour.ts';
import { SENT_AT } from './zulip-harbour-messages.ts';

test('bots come after their owners, hidden addresses are none, and groups lie in groups', async () => {
  const rows = await rowsOf(zulip, HARBOUR);
  const users = rowsOfKind(rows, 'user');
  expect(users.map(({ id }) => id)).toEqual(['6', '9', '12', '7', '10', '13', '4', '5']);
  expect(users.find(({ id }) => id === '13')).toMatchObject({ bot: true, owner: '7' });
  const tom = users.find(({ id }) => id === '7');
  expect(tom).toMatchObject({ name: 'Tom Berg', bot: false, active: false });
  expect(tom).not.toHaveProperty('email');
  expect(users.find(({ id }) => id === '10')).toMatchObject({ email: 'oto2@harbour.example' });
  expect(rowsOfKind(rows, 'group')).toEqual([
    expect.objectContaining({ id: '41', name: 'mates', members: ['6'], subgroups: [] }),
    expect.objectContaining({ id: '38', members: ['9'], subgroups: ['41', 'role:members'] }),
  ]);
});

test('groups that contain each other come once, and the report says so', async () => {
  const groups = ['a', 'b'].map((name, index) => ({ usergroup_ptr: index, name, id: index }));
  const rows = await rowsOf(zulip, {
    'realm.json': {
      zerver_userprofile: [{ id: 1, full_name: 'Ann' }],
      zerver_groupgroupmembership: [
        { supergroup: 0, subgroup: 1 },
        { supergroup: 1, subgroup: 0 },
      ],
      zerver_namedusergroup: groups,
    },
  });
  expect(rowsOfKind(rows, 'group').map(({ id, subgroups }) => [id, subgroups])).toEqual([
    ['1', []],
    ['0', ['1']],
  ]);
  expect(rowsOfKind(rows, 'skipped')).toEqual([
    expect.objectContaining({ what: 'group within a group', row: '0' }),
  ]);
});

test('an organization that shows no earlier states of messages keeps them to itself', async () => {
  const realm = HARBOUR['harbour/realm.json'];
  for (const setting of [
    { message_edit_history_visibility_policy: 3 },
    { allow_edit_history: false },
  ]) {
    const rows = await rowsOf(zulip, {
      ...HARBOUR,
      'harbour/realm.json': { ...realm, zerver_realm: [{ id: 2, ...setting }] },
    });
    const edited = rowsOfKind(rows, 'message').find(({ id }) => id === '35');
    expect(edited).toHaveProperty('editedAt');
    expect(edited).not.toHaveProperty('changes');
  }
});

test('quotes are text and code is not, and links lead to the same place', async () => {
  const rows = await rowsOf(zulip, HARBOUR);
  const of = (id: string) =>
    shown(rowsOfKind(rows, 'message').find((row) => row.id === id)?.content ?? []);
  expect(of('22')).toBe(
    'See :service: and `:zulip:` {"channel":"5"} and {"channel":"4","topic":"welcome","message":"20"} and @_*role:members*',
  );
  expect(of('23')).toContain('{"channel":"4","topic":"welcome","message":"20","label":"said"}:');
  expect(of('23')).toContain('quote\n{"mention":"10"} {"file":');
  expect(of('23')).toContain(`print('@**Oto Vale|10**')\n\`\`\`\n{"mention":"10"}\n`);
  expect(of('24')).toBe(
    '{"channel":"5","topic":"ropes","message":"30","label":"there"} or ' +
      '{"channel":"4","topic":"welcome"}, dm',
  );
  expect(of('25')).toContain(' at https://other.example/#narrow/channel/4-dock/topic/a');
  expect(of('26')).toContain('| who | {"mention":"6","inTable":true} |');
});

test('of people who are active and subscribed it is known what they have not read', async () => {
  const rows = rowsOfKind(await rowsOf(zulip, HARBOUR), 'message');
  const unread = rows.flatMap(({ id, unreadBy }) =>
    unreadBy === undefined ? [] : [[id, unreadBy]],
  );
  expect(unread).toEqual([['21', ['9']]]);
});

test('a real export comes into a server as it was, and the report has what does not', async () => {
  const server = await startServer();
  const { mel } = server.people;
  const { report } = await importOnce(server, 'zulip', await written(HARBOUR, 'harbour.tgz'));
  expect(report[0]).toMatchObject({ users: 8, groups: 2, channels: 4, messages: 20, files: 2 });
  const left = Object.fromEntries(report.slice(1).map((row) => [row['left_out'], row['count']]));
  expect(left).toEqual({
    emoji: 1,
    'user group': 1,
    'scheduled message': 1,
    'domain of mail addresses': 1,
    'defaults of new people': 1,
    status: 1,
    'topic policy': 1,
    'muted user': 1,
    // The realm of the test was there before, and keeps its own.
    organization: 1,
    icon: 1,
    logo: 1,
    'profile field': 1,
    'profile value': 4,
    playground: 1,
    linkifier: 1,
    'access from the web': 1,
    reaction: 1,
  });
  const [rosa, tom] = [idNamed(server, 'Rosa Lind'), idNamed(server, 'Tom Berg')];
  const { body: known } = await server.get(mel, '/users');
  expect(known['members']).toContainEqual(
    expect.objectContaining({ full_name: 'Tide Bot', is_bot: true, bot_owner_id: tom }),
  );
  const { body: groups } = await server.get(mel, '/user_groups');
  const named = (name: string) =>
    (groups['user_groups'] as { name: string; id: number; direct_subgroup_ids: number[] }[]).find(
      (group) => group.name === name,
    );
  expect(named('crew')?.direct_subgroup_ids).toEqual([
    named('role:members')?.id,
    named('mates')?.id,
  ]);

  const { body: channels } = await server.get(mel, '/streams');
  const members = named('role:members')?.id;
  expect(named('crew')).toMatchObject({ can_join_group: members });
  // The group that may manage it comes after it in the archive.
  expect(named('mates')).toMatchObject({ can_manage_group: named('crew')?.id });
  const streams = channels['streams'] as { name: string }[];
  expect(streams.find(({ name }) => name === 'quay')).toMatchObject({
    can_send_message_group: named('role:administrators')?.id,
    is_announcement_only: true,
  });
  const [yards] = streams.filter(({ name }) => name.startsWith('Yard'));
  expect(yards).toMatchObject({
    can_send_message_group: named('crew')?.id,
    can_subscribe_group: named('role:nobody')?.id,
  });

  const quay = await inChannel(server, mel, 'quay');
  const byTime = new Map(quay.map((row) => [row.timestamp - SENT_AT, row]));
  const first = byTime.get(20);
  expect(first?.reactions.map(({ emoji_name }) => emoji_name).sort()).toEqual([
    'boat_up',
    'keycap_1',
    'service',
    'waving_hand',
  ]);
  expect(byTime.get(22)?.content).toMatch(
    /^See :service: and `:zulip:` \[#Yard & tools > new\]\(\/#narrow\/channel\/\d+-Yard-\.26-tools-\.3E-new\) and /,
  );
  expect(byTime.get(22)?.content).toContain(`#**quay>welcome@${first?.id}**`);
  expect(byTime.get(23)?.content).toMatch(
    new RegExp(`\\[said\\]\\(/#narrow/channel/\\d+-quay/topic/welcome/near/${first?.id}\\):`),
  );
  const link = /\[plan\]\(([^)]*)\)/.exec(byTime.get(23)?.content ?? '')?.[1] ?? '';
  expect((await download(server, link, { as: mel })).bytes.toString()).toBe('high at nine');
  expect(byTime.get(21)?.content).toContain('see @*crew* or @_*crew*');
  expect(byTime.get(26)?.content).toContain('| @**Rosa Lind** |');
  expect(byTime.get(27)).toMatchObject({ submessages: [expect.objectContaining({})] });
  expect(byTime.get(36)).toHaveProperty('last_moved_timestamp');
  expect(byTime.get(36)).not.toHaveProperty('last_edit_timestamp');
  expect(byTime.get(39)).not.toHaveProperty('last_moved_timestamp');

  const { body } = await server.get(mel, `/messages/${byTime.get(35)?.id}/history`);
  const states = body['message_history'] as { content: string; user_id: number }[];
  const oto = states[1]?.content ?? '';
  expect(states.map(({ content }) => content)).toEqual([
    'first text',
    expect.stringMatching(/^second for @\*\*Oto Vale\|\d+\*\*$/),
    `third text with @**Tom Berg|${tom}**`,
  ]);
  expect(oto).not.toContain('|10*');
  expect(states.map(({ user_id }) => user_id)).toEqual([rosa, tom, tom]);
  expect((await inChannel(server, mel, 'window')).map(({ content }) => content)).toEqual([
    'Hello web',
  ]);
  expect(await messagesIn(server, mel, [{ operator: 'channel', operand: 'wreck' }])).toHaveLength(
    1,
  );
});

test('what people and the organization had set up comes into a realm that the import makes', async () => {
  const server = await startServer();
  const path = await written(HARBOUR, 'harbour.tgz');
  const command = ['import', 'zulip', path, '--realm', 'harbour'];
  const dry = await confab(server.data, ...command, '--dry-run');
  const report = await confab(server.data, ...command);
  expect(reportOf(dry, report)).toEqual(report);
  const [total, ...left] = report;
  expect(total).toMatchObject({
    linkifiers: 2,
    playgrounds: 1,
    profile_fields: 4,
    organization_settings: 1,
    organization_images: 2,
    topic_policies: 3,
    muted_users: 1,
    alert_words: 2,
    statuses: 3,
    saved_snippets: 1,
    profile_values: 3,
  });
  const why = (what: string) =>
    left.filter((row) => row['left_out'] === what).map((row) => row['why']);
  expect(why('linkifier')).toEqual([expect.stringContaining('egular expression')]);
  expect(why('topic policy')).toEqual(['Its channel is not in the archive.']);
  expect(why('muted user')).toEqual(['The muted person is not in the archive.']);
  expect(why('status')).toEqual(['It was to end at a time.']);
  expect(why('profile value')).toEqual([
    'Its field is not in the archive.',
    "'no choice' is not a valid choice for 'Ship'.",
  ]);
  const reader = server.app.realms.named('harbour')?.reader;
  if (reader === undefined) throw new Error('the realm was not made');
  const here = (kind: 'user' | 'channel', id: string) =>
    reader.importedIds.get(['zulip:harbour', kind, id])?.id ?? 0;
  const [rosa, oto, lena] = [here('user', '6'), here('user', '9'), here('user', '12')];
  const [quay, yard] = [here('channel', '4'), here('channel', '5')];
  expect(Array.from(reader.linkifiers.range({}), ([, { urlTemplate }]) => urlTemplate)).toEqual([
    'https://pier.example/{no}',
    'https://dock.example/{id}',
  ]);
  const fields = Array.from(reader.profileFields.range({}), ([, row]) => row);
  expect(fields.map(({ name }) => name)).toEqual(['Phone', 'Mentor', 'Ship', 'GitHub username']);
  // A field of people cannot be in the summary of a profile here.
  expect(fields.map(({ isInSummary }) => isInSummary)).not.toContain(true);
  expect(Array.from(reader.profileValues.under([oto]), ([, { value }]) => value)).toEqual([
    '+47 1234',
    JSON.stringify([lena, rosa]),
    'otovale',
  ]);
  expect(reader.userTopics.get([rosa, yard, 'noise'])?.policy).toBe(1);
  expect(reader.userTopics.get([oto, quay, 'welcome'])?.policy).toBe(3);
  expect(reader.userTopics.get([oto, quay, 'votes'])?.policy).toBe(2);
  expect(reader.mutedUsers.has([oto, lena])).toBe(true);
  expect(reader.alertWords.get([oto])?.words).toEqual(['pump', 'rope']);
  expect(reader.userStatuses.get([oto])).toMatchObject({ text: 'At sea', emoji: { code: '26f5' } });
  expect(reader.userStatuses.get([rosa])).toMatchObject({ text: '', emoji: { name: 'boat_up' } });
  expect(Array.from(reader.savedSnippets.under([oto]), ([, { content }]) => content)).toEqual([
    'Ahoy @**Tom Berg**',
  ]);
  expect(reader.subscriptions.get([quay, oto])).toMatchObject({
    color: '#76ce90',
    isPinned: true,
    isMuted: true,
    pushNotifications: true,
    emailNotifications: false,
    desktopNotifications: null,
  });
  expect(reader.pushListeners.has([quay, oto])).toBe(true);
  expect(reader.channels.get([quay])).toMatchObject({ isDefault: true, messageRetentionDays: -1 });
  expect(reader.channels.get([yard])).toMatchObject({
    isDefault: false,
    messageRetentionDays: null,
  });
  const message = (id: string) => reader.importedIds.get(['zulip:harbour', 'message', id])?.id ?? 0;
  // A realm that was just made has had no events, whose numbers those of later changes are.
  const changes = Array.from(
    reader.messageEdits.under([message('35')]),
    ([, { before }]) => before,
  );
  expect(changes.map(({ content }) => content)).toEqual([
    'first text',
    expect.stringMatching(/^second for /),
  ]);
  // It is theirs once they claim the account.
  const bits = reader.messageFlags.get([oto, message('21')])?.bits ?? 0;
  expect(bits & (FlagBit.mentioned | FlagBit.unread)).toBe(FlagBit.mentioned | FlagBit.unread);
  expect(reader.messages.get([message('21')])?.renderedContent).toContain(
    `<span class="user-mention" data-user-id="${oto}">@Oto Vale</span>`,
  );
  const administrators = systemGroupId('role:administrators');
  expect(reader.channels.get([quay])?.groups).toMatchObject({
    can_send_message_group: administrators,
    can_administer_channel_group: { direct_members: [rosa], direct_subgroups: [] },
  });
  // People have a permission before they have their account.
  expect(reader.channels.get([here('channel', '8')])?.groups.can_send_message_group).toEqual({
    direct_members: [oto],
    direct_subgroups: [administrators],
  });
  expect(reader.realm.get(['realm'])).toMatchObject({
    name: 'Harbour Works',
    description: 'Boats and tides',
    settings: {
      message_retention_days: 3650,
      uploaded_icon_url: expect.stringMatching(/^\/user_avatars\/\d+\/realm\//),
    },
  });
  // Somebody who has their account back keeps what they set, and a second run adds nothing.
  const [again] = await confab(server.data, ...command);
  for (const what of [
    'organization_images',
    'linkifiers',
    'profile_fields',
    'statuses',
    'topic_policies',
  ]) {
    expect(again, what).not.toHaveProperty(what);
  }
  expect(await confab(server.data, 'check', '--realm', 'harbour')).toEqual([
    expect.objectContaining({ is_sound: true, faults: 0 }),
  ]);
});
