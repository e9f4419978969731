import { expect } from 'vitest';
import { systemGroupId } from '../../../src/domain/wire/system-groups.ts';
import type { Params } from '../client.ts';
import { startServer } from '../start-server.ts';

export const MEMBERS = systemGroupId('role:members');
export const MODERATORS = systemGroupId('role:moderators');

/** A group of Max, made by Mel. */
export async function startWithGroup(params: Params = {}) {
  const server = await startServer();
  const { mel, max } = server.people;
  const made = { name: 'cooks', description: 'They cook', members: [max.id], ...params };
  const { body } = await server.post(mel, '/user_groups/create', made);
  expect(body).toEqual({ result: 'success', msg: '', group_id: 101 });
  return server;
}
