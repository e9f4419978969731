import { z } from 'zod';
import { GROUP_PARTS_PER_REQUEST_MAX } from '../../domain/limits/groups.ts';
import { SERVER_SUPPORTED_PERMISSION_SETTINGS } from '../../domain/wire/settings/permission-settings.ts';
import { json } from '../params.ts';

export const PERMISSIONS = SERVER_SUPPORTED_PERMISSION_SETTINGS.group;
// These are the names of the table; `Object.keys` loses them in its type.
export const PERMISSION_NAMES = Object.keys(PERMISSIONS) as (keyof typeof PERMISSIONS)[];

/** Accepts users or groups, each of which is a row of the group. */
export const parts = json(
  z
    .array(z.int({ error: 'is not an integer' }), { error: 'is not a list' })
    .max(GROUP_PARTS_PER_REQUEST_MAX, `has more than ${GROUP_PARTS_PER_REQUEST_MAX} items`),
);
