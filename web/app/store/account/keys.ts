/** The browsers and programs that act as the account: sessions and API keys. */
import type { ReplyOf } from '@confab/client';
import { app } from '../app.ts';

export type Session = ReplyOf<'GET', '/sessions'>['sessions'][number];
export type ApiKey = ReplyOf<'GET', '/users/me/api_keys'>['api_keys'][number];

export const sessions = async (): Promise<readonly Session[]> =>
  (await app.chat.call('GET', '/sessions')).sessions;

export const endSession = (id: string) =>
  app.chat.call('DELETE', '/sessions/{session_id}', { session_id: id });

/** Logs all other browsers out. */
export const endOtherSessions = () => app.chat.call('DELETE', '/sessions');

/** Makes a key with which programs act as the account; the server keeps only a hash of it. */
export async function apiKey(password: string, code?: string): Promise<string> {
  const state = app.read('own');
  const own = state.users.get(state.ownId);
  const { api_key: key } = await app.chat.call('POST', '/fetch_api_key', {
    username: own?.delivery_email ?? own?.email ?? '',
    password,
    ...(code === undefined ? {} : { second_step_code: code }),
  });
  return key;
}

/**
 * Names the code with which an account that has these second steps gets a key; null if it has none
 * that is a code.
 */
export function codeName(methods: unknown): string | null {
  if (!Array.isArray(methods)) return null;
  if (methods.includes('app')) return 'Code of your app, or a recovery code';
  return methods.includes('recovery_code') ? 'Recovery code' : null;
}

/** Makes a key in place of all that there are. */
export const renewedKey = async (): Promise<string> =>
  (await app.chat.call('POST', '/users/me/api_key/regenerate')).api_key;

export const apiKeys = async (): Promise<readonly ApiKey[]> =>
  (await app.chat.call('GET', '/users/me/api_keys')).api_keys;

export const endKey = (id: string) =>
  app.chat.call('DELETE', '/users/me/api_keys/{key_id}', { key_id: id });

const ORIGINS: Readonly<Record<string, string>> = {
  login: 'Made by a log-in',
  command: 'Made by the operator',
  bot: 'Made with the bot',
  regenerated: 'Made in place of others',
  further: 'A further one',
};

/** Returns where a key came from, and the program that used it last. */
export const keyName = ({ client, made_by: origin }: Pick<ApiKey, 'client' | 'made_by'>): string =>
  client === null || client === '' ? (ORIGINS[origin ?? ''] ?? 'A key') : client;
