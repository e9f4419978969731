import { readFileSync } from 'node:fs';
import { z } from 'zod';

const demoUser = z.object({
  user_id: z.number(),
  email: z.string(),
  full_name: z.string(),
  // A name, or the number of the API.
  role: z.union([z.string(), z.number()]),
  api_key: z.string(),
});

export type DemoUser = z.output<typeof demoUser>;

const demoCredentials = z.object({ users: z.array(demoUser) });

/** The owner of a realm, who may subscribe others, of a file like `demo-credentials.json`. */
export function demoOwner(credentialsFile: string): DemoUser {
  const { users } = demoCredentials.parse(JSON.parse(readFileSync(credentialsFile, 'utf8')));
  const owner = users.find(({ role }) => /owner|^100$/i.test(String(role)));
  if (owner === undefined) throw new Error(`no owner in ${credentialsFile}`);
  return owner;
}
