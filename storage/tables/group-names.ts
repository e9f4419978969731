import { table } from '../table.ts';

/** Names compare without case, so the key is the folded name. Deactivated groups keep theirs. */
export const groupNames = table<[folded: string], { readonly groupId: number }>('group_names', [
  'groupId',
]);
