import type { Params } from '../client.ts';
import type { TestServer } from '../start-server.ts';
import type { PersonName } from '../users.ts';

/** The data of a field that is a list of choices. */
export const EDITORS = { vim: { text: 'Vim', order: '1' }, nano: { text: 'Nano', order: '2' } };

/** A field of the simplest type. */
export const FIELD = { name: 'Field', field_type: 1 };

/** Returns the reply. */
export const addField = async (server: TestServer, params: Params, as: PersonName = 'ada') =>
  (await server.post(server.people[as], '/realm/profile_fields', params)).body;
