import { expect, test } from 'vitest';
import { systemGroupId } from '../../../src/domain/wire/system-groups.ts';
import type { RealmTransaction } from '../../../src/operations/access/caller.ts';
import * as customEmoji from '../../../src/operations/files/custom-emoji.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';
import type { Person } from '../../support/users.ts';

/** The HTML of a message that this person sends to the first channel. */
async function rendered(server: TestServer, author: Person, content: string, topic = 'here') {
  const sent = await server.post(author, '/messages', {
    type: 'stream',
    to: 'general',
    topic,
    content,
  });
  expect(sent.body).toMatchObject({ result: 'success' });
  const { body } = await server.get(author, `/messages/${sent.body['id']}`);
  return body['message'] as { readonly content: string; readonly topic_links: unknown };
}

function addGroup(tx: RealmTransaction, name: string, isDeactivated = false): number {
  const id = tx.nextId('group');
  const permissions = {
    can_add_members_group: 8,
    can_join_group: 8,
    can_leave_group: 8,
    can_manage_group: 8,
    can_mention_group: systemGroupId('role:everyone'),
    can_remove_members_group: 8,
  };
  tx.groups.put([id], {
    id,
    name,
    description: '',
    dateCreated: 0,
    creatorId: null,
    isDeactivated,
    permissions,
  });
  tx.groupNames.put([name.toLowerCase()], { groupId: id });
  return id;
}

test('groups are known by their names in any case; deactivated ones are silent', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel } = server.people;
  const [support, old] = await server.perform((tx) => [
    addGroup(tx, 'Support'),
    addGroup(tx, 'Old', true),
  ]);
  const { content } = await rendered(server, mel, '@*support* @*old* @_*role:members* @*Nobody*');
  expect(content).toBe(
    `<p><span class="user-group-mention" data-user-group-id="${support}">@Support</span> ` +
      `<span class="user-group-mention silent" data-user-group-id="${old}">Old</span> ` +
      '<span class="user-group-mention silent" data-user-group-id="3">role:members</span> @*Nobody*</p>',
  );
});

test('a topic link names the newest message of the topic, whoever spells it how', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max } = server.people;
  const first = await server.post(max, '/messages', {
    type: 'stream',
    to: 'general',
    topic: 'Plans',
    content: 'x',
  });
  const { content } = await rendered(server, mel, '#**general>plans** #**general>none**');
  expect(content).toContain(`/topic/plans/with/${first.body['id']}">#general &gt; plans</a>`);
  expect(content).toContain('/topic/none">#general &gt; none</a>');
});

test('custom emoji are images until they are deactivated; then another one may have the name', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel } = server.people;
  const store = (id: number, name: string, isDeactivated = false) =>
    server.perform((tx) => {
      const file = { fileName: `${id} a.png`, stillFileName: null };
      customEmoji.store(tx, { id, name, authorId: null, isDeactivated, ...file });
      return tx.realm.get(['realm'])?.id;
    });
  const imageOf = async (name: string) => {
    const { content } = await rendered(server, mel, `:${name}:`);
    return / src="([^"]*)"/.exec(content)?.[1];
  };

  const realmId = await store(1, 'smile');
  expect(await imageOf('smile')).toBe(`/user_avatars/${realmId}/emoji/images/1%20a.png`);
  expect(await imageOf('party')).toBeUndefined();
  await store(1, 'smile', true);
  expect(await imageOf('smile')).toBeUndefined();
  await store(2, 'smile');
  await store(1, 'smile', true);
  expect(await imageOf('smile')).toBe(`/user_avatars/${realmId}/emoji/images/2%20a.png`);
  expect((await rendered(server, mel, `:${'a'.repeat(5_000)}:`)).content).toContain('<p>:aaa');
});

test('linkifiers apply to content and topic, as soon as there are any', async () => {
  const server = await startServer({ channels: ['general'] });
  const { ada, mel } = server.people;
  const before = await rendered(server, mel, 'see #12', 'fix #7');
  expect(before).toMatchObject({ content: '<p>see #12</p>', topic_links: [] });

  await server.post(ada, '/realm/filters', {
    pattern: '#(?P<id>[0-9]+)',
    url_template: 'https://x.org/{id}',
  });
  expect(await rendered(server, mel, 'see #12', 'fix #7 https://y.org')).toMatchObject({
    content: '<p>see <a href="https://x.org/12">#12</a></p>',
    topic_links: [
      { text: '#7', url: 'https://x.org/7' },
      { text: 'https://y.org', url: 'https://y.org' },
    ],
  });
});

test('emoticons are translated for an author who wants it', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max } = server.people;
  await server.perform((tx) => {
    const row = tx.users.get([mel.id]);
    if (row === undefined) throw new Error('the author is gone');
    tx.users.put([mel.id], { ...row, settings: { ...row.settings, translate_emoticons: true } });
  });
  expect((await rendered(server, mel, ':)')).content).toContain('title="smile"');
  expect((await rendered(server, max, ':)')).content).toBe('<p>:)</p>');
});

test('code without a language has that of the realm', async () => {
  const server = await startServer({ channels: ['general'] });
  await server.set('default_code_block_language', 'javascript');
  const { content } = await rendered(server, server.people.mel, '```\nlet x\n```');
  expect(content).toContain('data-code-language="JavaScript"');
});

test('a link into the own realm is relative, one into another realm is not', async () => {
  const server = await startServer({ channels: ['general'] });
  const { realm_url: own } = (await server.get(server.people.mel, '/server_settings')).body;
  const { content } = await rendered(
    server,
    server.people.mel,
    `[a](${own}/#narrow/dm/3) [b](https://other.example.com/#narrow/dm/3)`,
  );
  expect(content).toBe(
    '<p><a href="#narrow/dm/3">a</a> <a href="https://other.example.com/#narrow/dm/3">b</a></p>',
  );
});

test('a guest names only those whom they may know of', async () => {
  const server = await startServer();
  const { gus, mel, ada } = server.people;
  await server.set('can_access_all_users_group', 3);
  const sent = await server.post(gus, '/messages', {
    type: 'direct',
    to: [gus.id],
    content: `@**${mel.fullName}** @**|${ada.id}** @**${gus.fullName}**`,
  });
  const { body } = await server.get(gus, `/messages/${sent.body['id']}`);
  expect(body).toMatchObject({
    message: {
      content:
        `<p>@**${mel.fullName}** @**|${ada.id}** ` +
        `<span class="user-mention" data-user-id="${gus.id}">@${gus.fullName}</span></p>`,
    },
  });
});
