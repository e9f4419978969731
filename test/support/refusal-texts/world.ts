import type { Params } from '../client.ts';
import type { TestServer } from '../start-server.ts';
import type { PersonName } from '../users.ts';

/**
 * The origin of a text: `reference` has it (reference/endpoints.md, section 4 for the codes);
 * servers of the same API answer with an `interface` text, and clients show it; an `own` text is
 * used if theirs would be wrong here or names another product.
 */
type Source = 'reference' | 'interface' | 'own';
type Method = 'get' | 'post' | 'patch' | 'put' | 'delete';

export interface Row {
  readonly msg: string;
  readonly from: Source;
  readonly as: PersonName;
  readonly ask: readonly [Method, string, Params?];
  readonly code?: string;
  readonly status?: number;
}

/** The objects that the rows name, made once for all rows. */
export interface World {
  readonly mill: number;
  readonly vault: number;
  readonly group: number;
  readonly message: number;
  readonly gone: number;
  readonly mel: number;
  readonly ada: number;
}

export async function makeWorld(server: TestServer): Promise<World> {
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
