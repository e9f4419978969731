/** Reads how a path names a user: by id, or by an address. */
export const idOrEmail = (text: string): number | string =>
  /^\d{1,15}$/.test(text) ? Number(text) : text;
