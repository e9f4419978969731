/** What is known of the space on the disk of a realm. Asking costs nothing: somebody else looks, now and then. */
export interface Space {
  /** Whether what needs more space is refused; reading, and what frees space, goes on. */
  isShort(): boolean;
  /** Whether so little is left that nothing at all is written: a commit that fails ends the process. */
  isFull(): boolean;
  /** Whether this many bytes more can be taken without becoming short. */
  hasRoomFor(bytes: number): boolean;
}

/** For who does not watch the disk, as the command line. */
export const AMPLE: Space = {
  isShort: () => false,
  isFull: () => false,
  hasRoomFor: () => true,
};
