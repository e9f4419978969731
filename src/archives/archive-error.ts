/** An error of the archive, with a sentence for the operator on why it cannot be imported. */
export class ArchiveError extends Error {}
