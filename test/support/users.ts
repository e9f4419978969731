/** The people of every test realm. Names say the role; ids follow the order. */
export const PEOPLE = [
  { name: 'ona', fullName: 'Ona Owner', role: 'owner' },
  { name: 'ada', fullName: 'Ada Administrator', role: 'administrator' },
  { name: 'mia', fullName: 'Mia Moderator', role: 'moderator' },
  { name: 'mel', fullName: 'Mel Member', role: 'member' },
  { name: 'max', fullName: 'Max Member', role: 'member' },
  { name: 'gus', fullName: 'Gus Guest', role: 'guest' },
] as const;

/** Everybody in a test realm: the people, and a bot. */
export const NAMES = [...PEOPLE.map(({ name }) => name), 'bot'] as const;
export type PersonName = (typeof NAMES)[number];

/** An account of a test, with what it logs in with. */
export interface Person {
  readonly id: number;
  readonly email: string;
  readonly fullName: string;
  readonly apiKey: string;
}
