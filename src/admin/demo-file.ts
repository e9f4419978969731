import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { readRegularFile } from '../../storage/files/regular-file.ts';
import { replaceFile } from '../../storage/files/replace-file.ts';
import type { DemoPerson } from '../endpoints/endpoint.ts';

const credentials = z.object({
  base_url: z.string(),
  realm: z.string(),
  users: z.array(
    z.object({
      user_id: z.int(),
      email: z.string(),
      full_name: z.string(),
      role: z.string(),
      password: z.string().nullable(),
      /** Not in the files of earlier versions, whose people log in with their passwords. */
      password_hash: z.string().nullable().default(null),
      api_key: z.string(),
      is_bot: z.boolean(),
    }),
  ),
});

export type DemoCredentials = z.output<typeof credentials>;

export const credentialsFile = (data: string) => join(data, 'demo-credentials.json');

/** Returns the credentials of an earlier start, with the present URL. */
export function readDemo(data: string, baseUrl: string): DemoCredentials | undefined {
  if (!existsSync(credentialsFile(data))) return undefined;
  const stored = readCredentials(data);
  if (stored === undefined || stored.base_url === baseUrl) return stored;
  const moved = { ...stored, base_url: baseUrl };
  try {
    writeCredentials(data, moved);
  } catch {
    // The file is a convenience, so the server also runs if the disk has no space for it.
  }
  return moved;
}

/** Returns the people of the demo realm, or undefined if there is none. */
export const readPeople = (data: string) =>
  existsSync(credentialsFile(data))
    ? readCredentials(data)?.users.map(({ password_hash: _, ...shown }) => shown)
    : undefined;

/** Returns those who may log in without their password, as long as the account has the same one. */
export function demoPeople(data: string): DemoPerson[] {
  if (!existsSync(credentialsFile(data))) return [];
  const users = readCredentials(data)?.users ?? [];
  return users.flatMap(({ user_id: userId, password_hash: passwordHash }) =>
    passwordHash === null ? [] : { userId, passwordHash },
  );
}

/** Returns undefined for a damaged file. */
function readCredentials(data: string): DemoCredentials | undefined {
  try {
    return credentials.parse(JSON.parse(readRegularFile(credentialsFile(data))));
  } catch {
    return undefined;
  }
}

export const writeCredentials = (data: string, content: DemoCredentials) =>
  replaceFile(credentialsFile(data), `${JSON.stringify(content, null, 2)}\n`);
