import type { Params } from '../client.ts';
import type { TestServer } from '../start-server.ts';
import type { Person } from '../users.ts';

/** The clock of a test begins at this time, in UNIX seconds. */
export const START = Date.UTC(2026, 0, 5, 9, 0, 0) / 1000;
/** Clients hear of presences in three forms: this, one with `slim_presence`, and the simplified. */
export const OLDER = { event_types: ['presence'] };
export const SIMPLE = {
  event_types: ['presence'],
  client_capabilities: { notification_settings_null: true, simplified_presence_events: true },
};

export const report = (server: TestServer, as: Person, params: Params = {}) =>
  server.post(as, '/users/me/presence', { status: 'active', ...params });
