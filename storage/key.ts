/** One part of a key; keys are ordered part by part, widest scope first. */
export type KeyPart = string | number;
export type Key = readonly KeyPart[];
