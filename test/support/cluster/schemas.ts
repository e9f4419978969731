import type { Migration, Schemas } from '../../../storage/migrations/migration.ts';
import { SCHEMAS } from '../../../storage/migrations/migrations.ts';

/** Gives all people other names, and the realm a time and a secret. */
const run: Migration['run'] = (tables, { now, secret }) => {
  const realm = tables.realm.get(['realm']);
  if (realm === undefined) return;
  const description = `migrated at ${now}`;
  tables.realm.put(['realm'], { ...realm, description });
  tables.secrets.put(['external content'], { value: secret('test').toString('hex') });
  for (const [key, user] of [...tables.users.range({})]) {
    tables.users.put(key, { ...user, fullName: `${user.fullName} II` });
  }
};

/** The schemas of a later version of confab, which has one more. */
export const laterSchemas = (declared: Omit<Migration, 'run'>): Schemas => ({
  newest: SCHEMAS.newest + 1,
  steps: new Map([...SCHEMAS.steps, [SCHEMAS.newest + 1, { run, ...declared }]]),
});
