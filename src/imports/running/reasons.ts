import { MESSAGE_LENGTH_MAX } from '../../domain/limits/messages.ts';

// Reasons for which something is left out, which a dry run gives as the import does.

export const NO_SENDER = 'Its sender is not in the archive.';
export const NO_PLACE = 'Its channel or its people are not in the archive.';
export const NO_FIELD = 'Its field is not in the archive.';
export const TOO_LONG = `A message has at most ${MESSAGE_LENGTH_MAX} characters.`;
