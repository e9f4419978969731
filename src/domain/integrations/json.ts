import { MESSAGE_LENGTH_MAX } from '../limits.ts';
import type { Integration } from './integration.ts';
import { codeBlock } from './texts.ts';

/** Shows whatever is posted, for services that nothing else is known of. */
export const json: Integration = {
  displayName: 'JSON',
  isSigned: true,
  eventTypes: null,
  notice: (payload) => ({
    names: [],
    topic: 'JSON',
    content: codeBlock(JSON.stringify(payload, null, 2), 'json', BLOCK_LENGTH_MAX),
  }),
};

/** Leaves room for the fence around it. */
const BLOCK_LENGTH_MAX = MESSAGE_LENGTH_MAX - 50;
