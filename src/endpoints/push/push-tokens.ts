import { z } from 'zod';
import { PUSH_APP_ID_LENGTH_MAX } from '../../domain/limits/outbox.ts';
import { text } from '../params.ts';

/** It is not trimmed: the operation refuses an invalid one. */
export const token = text.describe("The device's, of at most 4096 characters");

/** "Pattern `[.a-zA-Z0-9-]+`" (reference/endpoints.md 1.13). */
export const appId = z
  .string()
  .max(PUSH_APP_ID_LENGTH_MAX, 'is too long')
  .regex(/^[.a-zA-Z0-9-]+$/, 'has invalid format')
  .describe('Of the program on the device');
