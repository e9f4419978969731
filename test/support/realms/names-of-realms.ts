import type { Params } from '../client.ts';

/** Things that a request may name, and that must then look as if they were nowhere. */
export interface Names {
  readonly userId: number;
  readonly email: string;
  readonly channelId: number;
  readonly channel: string;
  readonly messageId: number;
  readonly queueId: string;
  readonly eventId: number;
  readonly groupId: number;
  readonly fieldId: number;
  readonly playgroundId: number;
  readonly exportId: number;
  readonly scheduledId: number;
  readonly draftId: number;
  readonly snippetId: number;
  readonly reminderId: number;
  readonly folderId: number;
  readonly defaultGroupId: number;
  readonly attachmentId: number;
  readonly fileUrl: string;
  readonly linkifierId: number;
  readonly invitationId: number;
  readonly password: string;
  readonly botKey: string;
  readonly keyId: string;
  readonly sessionId: string;
  readonly pushDeviceId: string;
}

export interface Naming {
  readonly path?: string;
  readonly params: Params;
}

/** Every way in which a request of an endpoint can name something of a realm. */
export type Namings = Readonly<Record<string, (names: Names) => readonly Naming[]>>;

export const sent = { topic: 'tea', content: 'hello' };
export const linkifierParams = {
  pattern: '#(?P<id>[0-9]+)',
  url_template: 'https://xyzzy.example.com/{id}',
};
/** Some time in the next century. */
export const later = { ...sent, scheduled_delivery_timestamp: 4_102_444_800 };
export const range = { anchor: 'newest', num_before: 10, num_after: 0 };

/** Names of things that are nowhere. */
export const NOWHERE: Names = {
  userId: 9_999,
  email: 'nobody@nowhere.example.com',
  channelId: 9_999,
  channel: 'nowhere',
  messageId: 9_999,
  queueId: '00000000-0000-4000-8000-000000000000',
  eventId: 9_999,
  groupId: 9_999,
  fieldId: 9_999,
  playgroundId: 9_999,
  exportId: 9_999,
  scheduledId: 9_999,
  draftId: 9_999,
  snippetId: 9_999,
  reminderId: 9_999,
  folderId: 9_999,
  defaultGroupId: 9_999,
  attachmentId: 9_999,
  fileUrl: '/user_uploads/9999/ab/x/y',
  linkifierId: 9_999,
  invitationId: 9_999,
  password: 'no password',
  botKey: 'f'.repeat(64),
  keyId: 'f'.repeat(16),
  sessionId: 'f'.repeat(16),
  pushDeviceId: 'f'.repeat(16),
};
