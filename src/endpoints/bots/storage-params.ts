import { z } from 'zod';
import { BOT_STORAGE_KEY_LENGTH_MAX } from '../../domain/limits.ts';
import { json, meaning, stringList } from '../params.ts';

const text = z.string({ error: 'is not a string' });
const key = text
  .min(1, 'cannot be blank')
  .max(BOT_STORAGE_KEY_LENGTH_MAX, `is longer than ${BOT_STORAGE_KEY_LENGTH_MAX} characters`);

const isObject = (value: unknown) =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** As a map: any text may be a key, also those that mean something to an object. */
export const entries = meaning(
  json(
    z
      .unknown()
      .refine(isObject, 'is not an object')
      .transform((value) => Object.entries(value ?? {}))
      .pipe(z.array(z.tuple([key, text])))
      .transform((pairs) => new Map(pairs)),
  ),
  z.record(key, text),
  true,
);

export const keys = stringList.optional();
