import { expect, test } from 'vitest';
import { atOnce } from '../../support/acts/at-once.ts';
import type { Params } from '../../support/client.ts';
import { stateDigest } from '../../support/realms/state-digest.ts';
import { startServer } from '../../support/start-server.ts';

/**
 * The right to ask at all is looked at when a request arrives, and again in the commit that carries
 * it out: an earlier request of the same commit may have changed the caller's role.
 */
test.each<{ path: string; params?: Params; method?: string }>([
  { path: '/realm/profile_fields', params: { name: 'Tea', field_type: 1 } },
  { path: '/realm/profile_fields/1', method: 'DELETE' },
  {
    path: '/realm/playgrounds',
    params: { name: 'Tea', pygments_language: 'x', url_template: 'https://a.example/{code}' },
  },
  {
    path: '/realm/filters',
    params: { pattern: 'T(?P<id>[0-9]+)', url_template: 'https://a/{id}' },
  },
  { path: '/realm', method: 'PATCH', params: { name: 'Mine' } },
  { path: '/realm/user_settings_defaults', method: 'PATCH', params: { enable_sounds: false } },
  { path: '/channel_folders/create', params: { name: 'Tea' } },
  { path: '/default_streams', params: { stream_id: 1 } },
  {
    path: '/default_stream_groups/create',
    params: { group_name: 'x', stream_names: '["general"]' },
  },
  { path: '/streams/1', method: 'PATCH', params: { description: 'Mine' } },
  { path: '/streams/1/delete_topic', params: { topic_name: 'tea' } },
  { path: '/users/5', method: 'PATCH', params: { full_name: 'Mine' } },
  { path: '/users/5', method: 'DELETE' },
  { path: '/users/5/status', params: { status_text: 'Mine' } },
  { path: '/bots/7', method: 'PATCH', params: { full_name: 'Mine' } },
])(
  'who is no administrator any more does nothing of what they have just asked for: $method $path',
  async ({ path, params = {}, method = 'POST' }) => {
    const server = await startServer({ channels: ['general'] });
    const { ona, ada, mel } = server.people;
    await server.post(ona, '/realm/profile_fields', { name: 'Hat', field_type: 1 });
    const message = { type: 'channel', to: 'general', topic: 'tea', content: 'hi' };
    await server.post(mel, '/messages', message);
    const { post } = atOnce(server);
    const demoted = post(ona, `/users/${ada.id}`, { method: 'PATCH', role: 400 });
    const reply = post(ada, path, { ...params, method });
    expect(await demoted).toMatchObject({ status: 200 });
    const after = server.app.realms.named('test') ?? expect.fail('there is a realm');
    const digest = stateDigest(after.reader);
    expect(await reply).toMatchObject({ status: 400, body: { result: 'error' } });
    await server.perform(() => undefined);
    expect(stateDigest(after.reader)).toBe(digest);
    // Only the role was in the way.
    await server.patch(ona, `/users/${ada.id}`, { role: 200 });
    expect(await server.post(ada, path, { ...params, method })).toMatchObject({ status: 200 });
  },
);
