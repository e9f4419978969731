import { z } from 'zod';
import * as objects from '../objects.ts';
import * as personalObjects from '../personal-objects.ts';
import { eventOf } from './event.ts';

const { id } = objects;

const SPACE = { upload_space_used: z.int().describe('Bytes of the whole organization') };

/** Events about what people keep: texts that they write for later, and files. */
export const KEPT = {
  'drafts add': eventOf('drafts', 'add', { drafts: z.array(personalObjects.draft) }),
  'drafts update': eventOf('drafts', 'update', { draft: personalObjects.draft }),
  'drafts remove': eventOf('drafts', 'remove', { draft_id: id }),
  'scheduled_messages add': eventOf('scheduled_messages', 'add', {
    scheduled_messages: z.array(personalObjects.scheduledMessage),
  }),
  'scheduled_messages update': eventOf('scheduled_messages', 'update', {
    scheduled_message: personalObjects.scheduledMessage,
  }),
  'scheduled_messages remove': eventOf('scheduled_messages', 'remove', {
    scheduled_message_id: id,
  }),
  'reminders add': eventOf('reminders', 'add', { reminders: z.array(personalObjects.reminder) }),
  'reminders remove': eventOf('reminders', 'remove', { reminder_id: id }),
  'saved_snippets add': eventOf('saved_snippets', 'add', {
    saved_snippet: personalObjects.savedSnippet,
  }),
  'saved_snippets update': eventOf('saved_snippets', 'update', {
    saved_snippet: personalObjects.savedSnippet,
  }),
  'saved_snippets remove': eventOf('saved_snippets', 'remove', { saved_snippet_id: id }),
  'navigation_view add': eventOf('navigation_view', 'add', {
    navigation_view: personalObjects.navigationView,
  }),
  'navigation_view update': eventOf('navigation_view', 'update', {
    fragment: z.string(),
    data: personalObjects.navigationView.omit({ fragment: true }).partial(),
  }),
  'navigation_view remove': eventOf('navigation_view', 'remove', { fragment: z.string() }),
  'attachment add': eventOf('attachment', 'add', {
    attachment: personalObjects.attachment,
    ...SPACE,
  }),
  'attachment update': eventOf('attachment', 'update', {
    attachment: personalObjects.attachment,
    ...SPACE,
  }),
  'attachment remove': eventOf('attachment', 'remove', {
    attachment: z.strictObject({ id }),
    ...SPACE,
  }),
} as const;
