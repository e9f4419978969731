// biome-ignore-all lint/performance/noBarrelFile: it is the entry of the package's store.
export type { Snapshot } from '../calls.ts';
export { CAPABILITIES } from './capabilities.ts';
export { Contents, type Conversation, type StateOptions } from './contents.ts';
export {
  type Mentionable,
  mentionables,
  mentionOf,
  nameOf,
  namesOf,
  type Wildcard,
} from './names.ts';
export {
  type ChannelSettings,
  type Facts,
  FOLLOWED,
  MUTED,
  type Person,
  type TopicPolicy,
  UNMUTED,
} from './objects.ts';
export type { Section } from './sections.ts';
export { snapshotOf } from './snapshot-of.ts';
export { type AnyEvent, applyTo, State } from './state.ts';
export type { KnownTopic } from './topics.ts';
export type { Place, UnreadDirect, UnreadTopic } from './unread.ts';
