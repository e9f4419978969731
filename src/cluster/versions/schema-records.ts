import { randomBytes } from 'node:crypto';
import type { Schemas } from '../../../storage/migrations/migration.ts';
import { StoreTooNew } from '../../../storage/migrations/schema-version.ts';
import { SERVICE_VERSION } from '../../domain/version.ts';
import type { RecordHead, SchemaContent } from '../records/record.ts';

/** Says in a log that its stores have this schema from here on. */
export const schemaRecord = (version: number): SchemaContent => ({
  kind: 'schema',
  version,
  service: SERVICE_VERSION,
  seed: randomBytes(SEED_BYTES).toString('hex'),
});

const SEED_BYTES = 32;

/** Throws for a record of a schema that this version of confab does not know. */
export function refuseUnknown(
  { newest }: Schemas,
  head: RecordHead,
  content: SchemaContent | null,
): void {
  const schema = content?.version ?? head.schema;
  if (schema <= newest) return;
  const needed = content === null ? 'the version that the other nodes run' : content.service;
  throw new StoreTooNew(
    `the cluster was upgraded to schema ${schema}, and confab ${SERVICE_VERSION} of this node knows ${newest}: install confab ${needed} or newer here`,
  );
}
