/** Those who read without an account (reference/events-and-register.md 5.8) are a user of this id, which no account has. */
export const SPECTATOR_ID = 0;

export const isSpectator = ({ id }: { readonly id: number }): boolean => id === SPECTATOR_ID;
