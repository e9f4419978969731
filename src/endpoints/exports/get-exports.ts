import { z } from 'zod';
import { realmExport } from '../../domain/wire/realm-objects.ts';
import * as exports from '../../operations/realm/exports.ts';
import { endpoint } from '../endpoint.ts';
import { administrators } from '../permissions.ts';

export const getExports = endpoint({
  summary: 'Get the exports of the organization',
  method: 'GET',
  path: '/export/realm',
  allow: administrators,
  params: {},
  reply: { exports: z.array(realmExport).describe('Oldest first') },
  read: (reader) => ({ exports: exports.list(reader) }),
});
