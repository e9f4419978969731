/** A document or a line that cannot be read, with a sentence on why. */
export class JsonStreamError extends Error {}
