import { z } from 'zod';
import { BOT_STORAGE_KEY_LENGTH_MAX } from '../../domain/limits/bots.ts';
import { json, meaning, stringList } from '../params.ts';

const text = z.string({ error: 'is not a string' });
const key = text
  .min(1, 'has a key that is blank')
  .max(
    BOT_STORAGE_KEY_LENGTH_MAX,
    `has a key that is longer than ${BOT_STORAGE_KEY_LENGTH_MAX} characters`,
  );

const isObject = (value: unknown) =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Parses entries into a map: any text may be a key, also names that have a meaning on an object.
 */
export const entries = meaning(
  json(
    z
      .unknown()
      .refine(isObject, 'is not a dict')
      .transform((value, context) => {
        const map = new Map<string, string>();
        for (const [name, given] of Object.entries(value ?? {})) {
          const fault = key.safeParse(name).error?.issues[0]?.message;
          if (fault !== undefined) context.addIssue(fault);
          else if (typeof given === 'string') map.set(name, given);
          else context.addIssue({ code: 'custom', message: 'is not a string', path: [name] });
        }
        return map;
      }),
  ),
  z.record(key, text),
  true,
);

export const keys = stringList.optional();
