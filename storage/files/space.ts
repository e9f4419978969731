/**
 * Tells how much space is left on the disk of a realm. Asking costs nothing: a watch looks at the
 * disk now and then.
 */
export interface Space {
  /** True if operations that need more space are refused; reading and freeing space go on. */
  isShort(): boolean;
  /** True if nothing at all may be written: a commit that fails ends the process. */
  isFull(): boolean;
  /** True if this many bytes more can be taken without becoming short. */
  hasRoomFor(bytes: number): boolean;
}

/** The command line uses this, because it does not watch the disk. */
export const AMPLE: Space = {
  isShort: () => false,
  isFull: () => false,
  hasRoomFor: () => true,
};
