import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import { runCommand } from '../../../src/admin/commands.ts';
import type { Endpoint } from '../../../src/endpoints/endpoint.ts';
import * as sessions from '../../../src/operations/accounts/sessions.ts';
import type { Params, Reply } from '../client.ts';
import { png } from '../files/images.ts';
import { type UploadedPart, upload, uploadTo } from '../files/uploads.ts';
import { FIREFOX } from '../people/session-browser.ts';
import { startServer } from '../start-server.ts';
import type { Person } from '../users.ts';

export const ROLES = ['guest', 'member', 'moderator', 'administrator', 'owner'] as const;
export type Role = (typeof ROLES)[number];
export type Asker = 'nobody' | Role | 'stranger';
export const ASKERS: readonly Asker[] = ['nobody', ...ROLES, 'stranger'];

interface EndpointRequest {
  readonly path: string;
  readonly params: Params;
  readonly file: UploadedPart | undefined;
  readonly headers?: Record<string, string> | undefined;
}

export type World = Awaited<ReturnType<typeof openWorld>>;

/** A realm, with everything that the requests need in it, made for each of them. */
export async function openWorld() {
  const server = await startServer({ channels: ['general', 'random', 'reports'] });
  const stranger = (await server.addRealm('acme')).admin;
  const { gus, mel, max, mia, ada, ona } = server.people;
  await server.set('moderation_request_channel_id', 3);
  await server.set('enable_read_receipts', true);
  const people: Readonly<Record<Asker, Person | null>> = {
    nobody: null,
    guest: gus,
    member: mel,
    moderator: mia,
    administrator: ada,
    owner: ona,
    stranger,
  };
  let count = 0;
  const fresh = (name: string) => {
    count += 1;
    return `${name}${count}`;
  };
  const linkifierParams = () => ({
    pattern: `${fresh('T')}-(?P<id>[0-9]+)`,
    url_template: 'https://example.com/{id}',
  });
  const image = { content: await png(8, 8), filename: 'x.png' };
  const playgroundParams = () => ({
    name: fresh('Playground '),
    pygments_language: 'Rust',
    url_template: 'https://example.com/{code}',
  });
  const ids = async (path: string, params: Params): Promise<number> =>
    need(await server.post(ona, path, params)).id;
  const message = async (topic = 'tea', by?: Asker): Promise<number> => {
    const given = { type: 'channel', to: 'general', topic, content: fresh('hello') };
    const sender = by === undefined || by === 'stranger' ? max : (people[by] ?? max);
    return need(await server.post(sender, '/messages', given)).id;
  };
  const inAnHour = () => Math.floor(server.clock.now() / 1000) + 3_600;
  const keys = await server.perform((tx) => [...tx.apiKeys.keys({})]);
  return {
    server,
    people,
    /** Everyone has the key that they had at the beginning, whatever it was that ended it. */
    restoreKeys: () =>
      server.perform((tx) => {
        for (const [userId, hash] of keys) {
          tx.apiKeys.put([userId, hash], { createdAt: 1, origin: 'issued', madeBy: null });
          tx.keyOwners.put([hash], { userId });
        }
      }),
    /** The name of some key of an account. */
    keyOf: (userId: number) =>
      server.perform((tx) => [...tx.apiKeys.keysUnder([userId])][0]?.[1].slice(0, 16) ?? ''),
    /** The name of a new session of an account. */
    sessionOf: (userId: number) =>
      server.perform((tx) => {
        sessions.begin(tx, userId, { userAgent: FIREFOX, address: '192.0.2.7' });
        return [...tx.sessions.keysUnder([userId])][0]?.[1].slice(0, 16) ?? '';
      }),
    /** The name of a telephone of an account that gets pushes. */
    pushDeviceOf: (userId: number) =>
      server.perform((tx) => {
        const token = fresh('token');
        const hash = createHash('sha256').update(token).digest();
        const key = [userId, 'fcm', hash.toString('base64')] as [number, 'fcm', string];
        tx.pushTokens.put(key, { token, appId: null, keys: null, registeredAt: 0 });
        return hash.toString('hex').slice(0, 16);
      }),
    fresh,
    /** A member who asks for nothing. */
    account: async (): Promise<number> => {
      const email = `${fresh('account')}@example.com`;
      const made = await runCommand(server.app.realms, 'user create', {
        realm: 'test',
        email,
        name: 'Some Body',
      });
      return (made[0] as { user_id: number }).user_id;
    },
    /** The owner's. */
    bot: async (): Promise<number> => {
      const bot = { full_name: fresh('Bot '), short_name: fresh('bot') };
      return need(await server.post(ona, '/bots', bot)).user_id;
    },
    linkifierParams,
    playgroundParams,
    image,
    reactivate: () => runCommand(server.app.realms, 'realm reactivate', { realm: 'test' }),
    emoji: async (): Promise<string> => {
      const name = fresh('mog');
      need(await uploadTo(server, ona, `/realm/emoji/${name}`, image));
      return name;
    },
    /** One that is there already: none is written while nobody moves the clock. */
    archive: () =>
      server.perform((tx) => {
        const id = tx.nextId('export');
        const archive = { folder: 'ab', file: `cdefghijkl${id}` };
        const row = { actingUserId: ona.id, type: 1, askedAt: 0, attempts: 1, archive } as const;
        tx.exports.put([id], { ...row, failedAt: null, deletedAt: null });
        return id;
      }),
    playground: () => ids('/realm/playgrounds', playgroundParams()),
    domain: async (): Promise<string> => {
      const domain = `${fresh('d')}.example.com`;
      need(await server.post(ona, '/realm/domains', { domain, allow_subdomains: false }));
      return domain;
    },
    message,
    reminderParams: async (): Promise<Params> => ({
      message_id: await message(),
      scheduled_delivery_timestamp: inAnHour(),
    }),
    ask: (endpoint: Endpoint, asker: Asker, { path, params, file, headers }: EndpointRequest) =>
      file === undefined
        ? server.ask(people[asker], { method: endpoint.method, path, params, headers })
        : uploadTo(server, people[asker], path, file),
    /** Does something beforehand as an asker who may do it; for other askers it fails. */
    as: (asker: Asker, method: 'post', path: string, params: Params) =>
      server[method](people[asker], path, params),
    attachment: async (asker: Asker): Promise<number> => {
      const owner = asker === 'stranger' ? ona : (people[asker] ?? ona);
      need(await upload(server, owner, { content: 'hello' }));
      return need(await server.get(owner, '/attachments')).attachments[0].id;
    },
    file: async (asker: Asker): Promise<string> =>
      need(
        await upload(server, asker === 'stranger' ? ona : (people[asker] ?? ona), { content: '' }),
      ).url,
    scheduledParams: (): Params => ({
      type: 'channel',
      to: 1,
      topic: 'later',
      content: fresh('hello'),
      scheduled_delivery_timestamp: inAnHour(),
    }),
    folder: async (): Promise<number> =>
      need(await server.post(ona, '/channel_folders/create', { name: fresh('Folder ') }))
        .channel_folder_id,
    folderIds: async (): Promise<number[]> =>
      need(await server.get(ona, '/channel_folders')).channel_folders.map(
        ({ id }: { id: number }) => id,
      ),
    defaultGroup: async (): Promise<number> => {
      const name = fresh('Group ');
      const made = { group_name: name, stream_names: [] };
      need(await server.post(ona, '/default_stream_groups/create', made));
      const types = { fetch_event_types: ['default_stream_groups'] };
      const { realm_default_stream_groups: groups } = (await server.register(ona, types)).state;
      return groups.find((group: { name: string }) => group.name === name).id;
    },
    channel: () => ids('/channels/create', { name: fresh('channel'), subscribers: [ona.id] }),
    field: () => ids('/realm/profile_fields', { name: fresh('Field '), field_type: 1 }),
    fieldIds: async (): Promise<number[]> =>
      need(await server.get(ona, '/realm/profile_fields')).custom_fields.map(
        ({ id }: { id: number }) => id,
      ),
    mailInvitation: async (): Promise<number> => {
      const invitation = { invitee_emails: `${fresh('new')}@example.com`, stream_ids: [] };
      need(await server.post(ona, '/invites', invitation));
      const { invites } = need(await server.get(ona, '/invites'));
      return Math.max(
        ...invites
          .filter(({ is_multiuse }: { is_multiuse: boolean }) => !is_multiuse)
          .map(({ id }: { id: number }) => id),
      );
    },
    linkifier: () => ids('/realm/filters', linkifierParams()),
    linkifierIds: async (): Promise<number[]> =>
      need(await server.get(ona, '/realm/linkifiers')).linkifiers.map(
        ({ id }: { id: number }) => id,
      ),
    group: async (): Promise<number> => {
      const group = { name: fresh('group'), description: '', members: [] };
      return need(await server.post(ona, '/user_groups/create', group)).group_id;
    },
    invitation: async (): Promise<number> => {
      need(await server.post(ona, '/invites/multiuse'));
      return need(await server.get(ona, '/invites')).invites.at(-1).id;
    },
    queue: async (asker: Asker): Promise<{ queue_id: string; last_event_id: number }> =>
      (await server.register(asker === 'stranger' ? mel : (people[asker] ?? mel))).state,
  };
}

export function need({ status, body }: Reply): Reply['body'] {
  expect({ status, body }).toMatchObject({ status: 200 });
  return body;
}
