/** Why a file cannot be imported, in a sentence for the operator. */
export class ArchiveError extends Error {}
