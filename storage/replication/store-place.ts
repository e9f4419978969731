import { openEnvironment } from '../environment.ts';
import { schemaTable } from '../migrations/schema-version.ts';
import { SCHEMA_VERSION } from '../schema.ts';
import { APPLIED, placeIn } from './applying.ts';
import type { Place } from './commit-log.ts';

/** Opens a store for its table of the schema; whatever its schema is stays. */
const openAny = (folder: string) => openEnvironment(folder, SCHEMA_VERSION, SCHEMA_MAX);
const SCHEMA_MAX = Number.MAX_SAFE_INTEGER;

/** Reads up to which record a store has a log, which nobody has open. */
export async function readPlace(folder: string): Promise<Place | null> {
  const { env } = openAny(folder);
  try {
    return placeIn(schemaTable(env).get(APPLIED));
  } finally {
    await env.close();
  }
}

/**
 * Writes the place in a log from which a store goes on, which nobody has open; null for a store
 * that no log knows of.
 */
export async function writePlace(folder: string, place: Place | null): Promise<void> {
  const opened = openAny(folder);
  const schema = schemaTable(opened.env);
  try {
    if (place === null) await schema.remove(APPLIED);
    else await schema.put(APPLIED, [place.sequence, place.id, place.epoch]);
  } finally {
    await opened.env.close();
  }
}

/**
 * Makes two commits in a copy that LMDB has made, which has only one: the check of a store before
 * it is opened takes a first page without a commit for damage (decision 0133). No row stays.
 */
export async function completeCopy(folder: string): Promise<void> {
  const opened = openAny(folder);
  const schema = schemaTable(opened.env);
  try {
    await schema.put(COPIED, 1);
    await schema.remove(COPIED);
  } finally {
    await opened.env.close();
  }
}

const COPIED = 'copied';
