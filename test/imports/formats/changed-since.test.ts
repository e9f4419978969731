import { expect, test } from 'vitest';
import { systemGroupId } from '../../../src/domain/wire/system-groups.ts';
import { zulip } from '../../../src/imports/formats/zulip/zulip.ts';
import type { Caller, Site } from '../../../src/operations/access/caller.ts';
import * as placeholders from '../../../src/operations/accounts/placeholders.ts';
import * as archiving from '../../../src/operations/channels/archiving.ts';
import * as channelChanges from '../../../src/operations/channels/changes.ts';
import * as subscriptions from '../../../src/operations/channels/subscriptions.ts';
import * as customEmoji from '../../../src/operations/files/custom-emoji.ts';
import * as realmImages from '../../../src/operations/files/realm-images.ts';
import * as members from '../../../src/operations/groups/members.ts';
import * as userGroups from '../../../src/operations/groups/user-groups.ts';
import { importer } from '../../../src/operations/importing/people.ts';
import * as alertWords from '../../../src/operations/indexes/alert-words.ts';
import * as userTopics from '../../../src/operations/indexes/user-topics.ts';
import * as deletion from '../../../src/operations/messages/deletion.ts';
import * as reactions from '../../../src/operations/messages/reactions.ts';
import * as mutedUsers from '../../../src/operations/personal/muted-users.ts';
import * as savedSnippets from '../../../src/operations/personal/saved-snippets.ts';
import * as playgrounds from '../../../src/operations/realm/playgrounds.ts';
import * as settings from '../../../src/operations/realm/settings.ts';
import * as linkifiers from '../../../src/operations/rendering/linkifiers.ts';
import * as profileFields from '../../../src/operations/users/profile-fields.ts';
import * as profileValues from '../../../src/operations/users/profile-values.ts';
import * as statuses from '../../../src/operations/users/statuses.ts';
import { TABLES } from '../../../storage/schema.ts';
import type { RealmReader, RealmTransaction } from '../../../storage/transaction.ts';
import { confab } from '../../support/processes/run.ts';
import { importHere } from '../../support/realms/import-here.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';
import { archiveOf, type Files } from './archive-in-memory.ts';
import { HARBOUR } from './zulip-harbour.ts';

const OF = { realm: 'harbour', source: 'zulip:harbour', format: 'zulip' };

/** Imports an archive, and returns the totals. */
const imported = async ({ app }: TestServer, files: Files, of = OF): Promise<object> =>
  (await importHere(app.realms, { format: zulip, archive: archiveOf(files), of })).added;

/** Tables that a run writes though it adds nothing. */
const OF_RUNS = new Set(['imports', 'auditLog', 'sequences']);

const contentsOf = (reader: RealmReader) =>
  Object.fromEntries(
    Object.keys(TABLES)
      .filter((name) => !OF_RUNS.has(name))
      .map((name) => [name, [...reader[name as keyof typeof TABLES].range({})]]),
  );

const hereOf =
  (reader: Pick<RealmReader, 'importedIds'>, source = OF.source) =>
  (kind: 'user' | 'group' | 'channel' | 'message', id: string): number =>
    reader.importedIds.get([source, kind, id])?.id ?? 0;

test('what was removed or changed here since stays so when the import is run again', async () => {
  const server = await startServer();
  expect(await imported(server, HARBOUR)).toMatchObject({
    linkifiers: 2,
    profile_fields: 4,
    statuses: 3,
  });
  const realm = server.app.realms.named('harbour');
  if (realm === undefined) throw new Error('the realm was not made');
  await realm.perform((tx) => change(tx, server.app.realms.siteOf(realm)));
  const before = contentsOf(realm.reader);
  expect(await imported(server, HARBOUR)).toEqual({});
  const after = contentsOf(realm.reader);
  for (const [name, rows] of Object.entries(before)) expect(after[name], name).toEqual(rows);
  expect(await confab(server.data, 'check', '--realm', 'harbour')).toEqual([
    expect.objectContaining({ is_sound: true, faults: 0 }),
  ]);
  expect(server.bugs).toEqual([]);
});

test('a group that was here before gets no permission of one with its name', async () => {
  const server = await startServer();
  const { mel } = server.people;
  const members = JSON.stringify([mel.id]);
  const crew = { name: 'crew', description: '', members };
  expect((await server.post(mel, '/user_groups/create', crew)).status).toBe(200);
  const source = 'zulip:other';
  await imported(
    server,
    {
      'realm.json': {
        zerver_userprofile: [{ id: 1, full_name: 'Ann' }],
        zerver_usergroup: [{ id: 3 }, { id: 4 }],
        zerver_usergroupmembership: [{ user_group: 3, user_profile: 1 }],
        zerver_namedusergroup: [
          { usergroup_ptr: 3, name: 'crew' },
          { usergroup_ptr: 4, name: 'mates', can_manage_group: 3, can_join_group: 4 },
        ],
        zerver_stream: [
          { id: 5, name: 'hold', invite_only: true, can_subscribe_group: 3 },
          { id: 6, name: 'deck', can_send_message_group: 4 },
        ],
      },
    },
    { realm: 'test', source, format: 'zulip' },
  );
  await server.perform((tx) => {
    const here = hereOf(tx, source);
    const mates = here('group', '4');
    const nobody = systemGroupId('role:nobody');
    expect(tx.channels.get([here('channel', '5')])?.groups.can_subscribe_group).toBe(nobody);
    expect(tx.channels.get([here('channel', '6')])?.groups.can_send_message_group).toBe(mates);
    expect(tx.groups.get([mates])?.permissions).toMatchObject({
      can_manage_group: nobody,
      can_join_group: mates,
    });
    const { can_manage_group: kept } = tx.groups.get([here('group', '3')])?.permissions ?? {};
    expect(kept).toEqual({ direct_members: [mel.id], direct_subgroups: [] });
  });
});

const UNCHANGED = {
  name: undefined,
  description: undefined,
  isPrivate: undefined,
  isWebPublic: undefined,
  hasSharedHistory: undefined,
  isDefault: undefined,
  messageRetentionDays: undefined,
  topicsPolicy: undefined,
  folderId: undefined,
  isArchived: undefined,
};

/** Removes or changes one of each kind that an import brings. */
function change(tx: RealmTransaction, site: Site) {
  const here = hereOf(tx);
  const bot = importer(tx);
  const user = (id: string) => {
    const row = tx.users.get([here('user', id)]);
    if (row === undefined) throw new Error(`there is no user ${id}`);
    return row;
  };
  const [rosa, oto, lena] = [user('6'), user('9'), user('12')];
  const [quay, yard] = [here('channel', '4'), here('channel', '5')];
  const by = (row: Caller['user']): Caller => ({ user: row, site, client: 'test' });

  const [first, second] = linkifiers.list(tx);
  linkifiers.remove(tx, first?.id ?? 0);
  linkifiers.update(tx, second?.id ?? 0, {
    pattern: 'new-\\d+',
    urlTemplate: 'https://new.example/',
  });
  playgrounds.remove(tx, playgrounds.list(tx)[0]?.id ?? 0);
  const [phone, mentor] = profileFields.list(tx);
  profileFields.remove(tx, phone?.id ?? 0);
  profileFields.update(tx, mentor?.id ?? 0, { name: 'Guide' });
  profileValues.removeOne(tx, oto, mentor?.id ?? 0);
  settings.set(tx, 'name', OF.realm);
  settings.set(tx, 'description', '');
  settings.set(tx, 'message_retention_days', -1);
  realmImages.set(tx, site, { image: 'icon', stored: null });
  customEmoji.remove(tx, bot, 'boat_up');

  alertWords.remove(tx, oto.id, ['pump']);
  statuses.set(tx, oto, {
    change: { status_text: '', emoji_name: '' },
    settings: site.settings,
  });
  mutedUsers.unmute(tx, by(oto), lena.id);
  savedSnippets.remove(tx, oto.id, savedSnippets.list(tx, oto.id)[0]?.id ?? 0);
  const { none, muted } = userTopics.Policy;
  userTopics.set(tx, oto, { channelId: quay, topic: 'welcome', policy: none });
  userTopics.set(tx, oto, { channelId: quay, topic: 'votes', policy: muted });

  // Somebody has their account back, and leaves a channel.
  const principals = [placeholders.claim(tx, site, rosa)];
  subscriptions.unsubscribe(tx, bot, { names: ['quay'], principals, site });
  const wreck = tx.channels.get([here('channel', '9')]);
  const shut = tx.channels.get([yard]);
  if (wreck === undefined || shut === undefined) throw new Error('a channel is missing');
  archiving.unarchive(tx, by(bot), wreck);
  archiving.archive(tx, by(bot), shut);
  const crew = tx.groups.get([here('group', '38')]);
  if (crew === undefined) throw new Error('the group is missing');
  members.provision(tx, crew, { joins: [], leaves: [oto.id] });
  const mates = here('group', '41');
  userGroups.change(tx, by(bot), mates, {
    name: undefined,
    description: undefined,
    isDeactivated: undefined,
    permissions: { can_manage_group: { new: systemGroupId('role:owners') } },
  });
  for (const channelId of [quay, yard]) {
    channelChanges.change(tx, by(bot), channelId, {
      ...UNCHANGED,
      groups: { can_send_message_group: { new: systemGroupId('role:everyone') } },
    });
  }
  userGroups.deactivate(tx, by(bot), crew.id);

  const message = here('message', '20');
  reactions.remove(tx, by(oto), {
    messageId: message,
    name: 'waving_hand',
    code: undefined,
    type: undefined,
  });
  deletion.erase(
    tx,
    [tx.messages.get([here('message', '21')])].filter((row) => row !== undefined),
  );
}
