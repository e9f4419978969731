import type { Params } from '../client.ts';
import {
  administrators,
  administratorsByRole,
  channelAdministrators,
  everyone,
  nonGuests,
  only,
  type Row,
  row,
} from './access.ts';

const RANGE = { anchor: 'newest', num_before: 5, num_after: 0 };
const DRAFT = { type: 'stream', to: [1], topic: 'tea', content: 'hello' };
const SNIPPET = { title: 'Hello', content: 'hello' };
const SMILE = { emoji_name: 'smile' };

/** Messages, what is kept of them, files, topics and channels. */
export const ACCESS_TO_MESSAGES: Readonly<Record<string, Row>> = {
  // Messages of somebody else in a public channel to which everyone is subscribed.
  'POST /messages': row(everyone, { type: 'channel', to: 'general', topic: 'tea', content: 'hi' }),
  'GET /messages': row(everyone, RANGE),
  'GET /messages/{message_id}': row(everyone, ofMessage('')),
  'POST /messages/flags': row(everyone, async (world) => ({
    params: { messages: [await world.message()], op: 'add', flag: 'starred' },
  })),
  'GET /messages/matches_narrow': row(everyone, async (world) => ({
    params: { msg_ids: [await world.message()], narrow: [['channel', 'general']] },
  })),
  'POST /messages/flags/narrow': row(everyone, { ...RANGE, op: 'add', flag: 'read' }),
  // A message of one's own.
  'PATCH /messages/{message_id}': row(everyone, async (world, asker) => ({
    path: `/messages/${await world.message('tea', asker)}`,
    params: { content: 'changed' },
  })),
  'GET /messages/{message_id}/history': row(everyone, ofMessage('/history')),
  'DELETE /messages/{message_id}': row(administrators, ofMessage('')),
  'POST /messages/{message_id}/reactions': row(everyone, ofMessage('/reactions', SMILE)),
  'DELETE /messages/{message_id}/reactions': row(everyone, async (world, asker) => {
    const path = `/messages/${await world.message()}/reactions`;
    await world.as(asker, 'post', path, SMILE);
    return { path, params: SMILE };
  }),
  // A poll of one's own.
  'POST /submessage': row(everyone, async (world, asker) => ({
    params: {
      message_id: await world.message('tea', asker),
      msg_type: 'widget',
      content: { widget_type: 'poll', extra_data: { question: 'Tea?', options: [] } },
    },
  })),
  'POST /messages/{message_id}/report': row(
    everyone,
    ofMessage('/report', { report_type: 'spam' }),
  ),
  'GET /messages/summary': row(only([]), {}),
  'POST /messages/render': row(everyone, { content: '**hi**' }),
  'GET /messages/{message_id}/read_receipts': row(everyone, ofMessage('/read_receipts')),
  // A message of one's own.
  'POST /messages/{message_id}/typing': row(everyone, async (world, asker) => ({
    path: `/messages/${await world.message('tea', asker)}/typing`,
    params: { op: 'start' },
  })),
  'POST /zcommand': row(everyone, { command: '/ping' }),
  'POST /typing': row(everyone, { op: 'start', type: 'stream', stream_id: 1, topic: 'tea' }),

  'POST /user_uploads': row(everyone, () => ({ file: { content: 'hello' } })),
  // A file of one's own.
  'GET /user_uploads/{realm_id}/{path...}': row(everyone, async (world, asker) => ({
    path: await world.file(asker),
  })),
  'GET /attachments': row(everyone, {}),
  'DELETE /attachments/{attachment_id}': row(everyone, async (world, asker) => ({
    path: `/attachments/${await world.attachment(asker)}`,
  })),

  'POST /mark_all_as_read': row(everyone, {}),
  'POST /mark_stream_as_read': row(everyone, { stream_id: 1 }),
  'POST /mark_topic_as_read': row(everyone, { stream_id: 1, topic_name: 'tea' }),

  'POST /scheduled_messages': row(everyone, (world) => ({ params: world.scheduledParams() })),
  'GET /scheduled_messages': row(everyone, {}),
  'PATCH /scheduled_messages/{scheduled_message_id}': row(
    everyone,
    ofScheduled({ content: 'changed' }),
  ),
  'DELETE /scheduled_messages/{scheduled_message_id}': row(everyone, ofScheduled({})),

  'GET /drafts': row(everyone, {}),
  'POST /drafts': row(everyone, { drafts: [DRAFT] }),
  'PATCH /drafts/{draft_id}': row(everyone, ofDraft({ draft: DRAFT })),
  'DELETE /drafts/{draft_id}': row(everyone, ofDraft({})),
  'GET /saved_snippets': row(everyone, {}),
  'POST /saved_snippets': row(everyone, SNIPPET),
  'PATCH /saved_snippets/{saved_snippet_id}': row(everyone, ofSnippet({ title: 'changed' })),
  'DELETE /saved_snippets/{saved_snippet_id}': row(everyone, ofSnippet({})),

  'GET /reminders': row(everyone, {}),
  'POST /reminders': row(everyone, (world) =>
    world.reminderParams().then((params) => ({ params })),
  ),
  // A reminder of who asks.
  'DELETE /reminders/{reminder_id}': row(everyone, async (world, asker) => {
    const { body } = await world.as(asker, 'post', '/reminders', await world.reminderParams());
    return { path: `/reminders/${body.reminder_id ?? 1}` };
  }),

  'GET /users/me/{stream_id}/topics': row(everyone, () => ({ path: '/users/me/1/topics' })),
  'POST /streams/{stream_id}/delete_topic': row(administratorsByRole, async (world) => {
    await world.message('old');
    return { path: '/streams/1/delete_topic', params: { topic_name: 'old' } };
  }),
  'POST /user_topics': row(everyone, { stream_id: 1, topic: 'tea', visibility_policy: 3 }),
  'PATCH /users/me/subscriptions/muted_topics': row(everyone, {
    stream_id: 1,
    topic: 'muted',
    op: 'add',
  }),

  'POST /users/me/subscriptions': row(nonGuests, { subscriptions: [{ name: 'random' }] }),
  'DELETE /users/me/subscriptions': row(everyone, { subscriptions: ['random'] }),
  'PATCH /users/me/subscriptions': row(nonGuests, { delete: ['random'] }),
  'GET /users/me/subscriptions': row(everyone, {}),
  'POST /users/me/subscriptions/properties': row(everyone, {
    subscription_data: [{ stream_id: 1, property: 'is_muted', value: false }],
  }),
  'PATCH /users/me/subscriptions/{stream_id}': row(everyone, () => ({
    path: '/users/me/subscriptions/1',
    params: { property: 'pin_to_top', value: true },
  })),
  'GET /users/{user_id}/subscriptions/{stream_id}': row(everyone, () => ({
    path: '/users/1/subscriptions/1',
  })),
  'GET /streams': row(everyone, {}),
  'GET /streams/{stream_id}': row(everyone, () => ({ path: '/streams/1' })),
  'GET /get_stream_id': row(everyone, { stream: 'general' }),
  'GET /streams/{stream_id}/members': row(everyone, () => ({ path: '/streams/1/members' })),
  'GET /streams/{stream_id}/email_address': row(everyone, () => ({
    path: '/streams/1/email_address',
  })),
  'DELETE /streams/{stream_id}/email_address': row(
    channelAdministrators,
    ofChannel({}, '/email_address'),
  ),
  // Channels that the owner made, and that nobody else administers.
  'POST /channels/create': row(nonGuests, (world) => ({
    params: { name: world.fresh('channel'), subscribers: [] },
  })),
  'PATCH /streams/{stream_id}': row(channelAdministrators, ofChannel({ description: 'changed' })),
  'DELETE /streams/{stream_id}': row(channelAdministrators, ofChannel({})),
  'POST /default_streams': row(administratorsByRole, async (world) => ({
    params: { stream_id: await world.channel() },
  })),
  'DELETE /default_streams': row(administratorsByRole, async (world) => {
    const stream_id = await world.channel();
    await world.as('owner', 'post', '/default_streams', { stream_id });
    return { params: { stream_id } };
  }),

  'GET /channel_folders': row(everyone, {}),
  'POST /channel_folders/create': row(administratorsByRole, (world) => ({
    params: { name: world.fresh('Folder ') },
  })),
  'PATCH /channel_folders': row(administratorsByRole, async (world) => ({
    params: { order: await world.folderIds() },
  })),
  'PATCH /channel_folders/{channel_folder_id}': row(administratorsByRole, async (world) => ({
    path: `/channel_folders/${await world.folder()}`,
    params: { description: 'changed' },
  })),
  'POST /default_stream_groups/create': row(administratorsByRole, (world) => ({
    params: { group_name: world.fresh('Group '), stream_names: ['random'] },
  })),
  'PATCH /default_stream_groups/{group_id}': row(administratorsByRole, async (world) => ({
    path: `/default_stream_groups/${await world.defaultGroup()}`,
    params: { new_description: 'changed' },
  })),
  'DELETE /default_stream_groups/{group_id}': row(administratorsByRole, async (world) => ({
    path: `/default_stream_groups/${await world.defaultGroup()}`,
  })),
  'PATCH /default_stream_groups/{group_id}/streams': row(administratorsByRole, async (world) => ({
    path: `/default_stream_groups/${await world.defaultGroup()}/streams`,
    params: { op: 'add', stream_names: ['random'] },
  })),
};

function ofMessage(rest: string, params: Params = {}): Row['request'] {
  return async (world) => ({ path: `/messages/${await world.message()}${rest}`, params });
}

function ofChannel(params: Params, rest = ''): Row['request'] {
  return async (world) => ({ path: `/streams/${await world.channel()}${rest}`, params });
}

/** A message that who asks has scheduled. */
function ofScheduled(params: Params): Row['request'] {
  return async (world, asker) => {
    const { body } = await world.as(asker, 'post', '/scheduled_messages', world.scheduledParams());
    return { path: `/scheduled_messages/${body.scheduled_message_id ?? 1}`, params };
  };
}

/** A draft of who asks. */
function ofDraft(params: Params): Row['request'] {
  return async (world, asker) => {
    const { body } = await world.as(asker, 'post', '/drafts', { drafts: [DRAFT] });
    return { path: `/drafts/${body.ids?.[0] ?? 1}`, params };
  };
}

function ofSnippet(params: Params): Row['request'] {
  return async (world, asker) => {
    const { body } = await world.as(asker, 'post', '/saved_snippets', SNIPPET);
    return { path: `/saved_snippets/${body.saved_snippet_id ?? 1}`, params };
  };
}
