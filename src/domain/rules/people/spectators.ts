/**
 * The id of spectators, who read without an account (reference/events-and-register.md 5.8). No
 * account has this id.
 */
export const SPECTATOR_ID = 0;

export const isSpectator = ({ id }: { readonly id: number }): boolean => id === SPECTATOR_ID;
