import type { RichMessage } from '../../../src/domain/wire/message-objects.ts';

/** A message with every field. */
export const MESSAGE: RichMessage = {
  id: 7,
  sender_id: 2,
  sender_full_name: 'Ada',
  sender_email: 'ada@example.com',
  sender_realm_str: 'test',
  client: 'website',
  timestamp: 1_700_000_000,
  type: 'stream',
  stream_id: 3,
  recipient_id: 4,
  display_recipient: 'general',
  subject: 'tea',
  topic_links: [{ text: '#1', url: 'https://example.com/1' }],
  is_me_message: true,
  reactions: [],
  submessages: [],
  content: '/me #1',
  rendered_content: '<p>#1</p>',
  avatar_url: '/avatar/2',
  uses_gravatar: true,
};
