import type { Contents } from '../contents.ts';
import { type Changes, changed, NOTHING } from './change.ts';

export const PERSONAL: Changes = {
  user_topic: (state, { id, type, ...policy }) => {
    state.mutes.set(policy);
    return ['userTopics', 'unread'];
  },
  muted_topics: (state, { muted_topics }) => {
    state.facts.muted_topics = muted_topics;
    return ['userTopics'];
  },
  muted_users: (state, { muted_users }) => {
    state.mutedUsers.clear();
    for (const { id, timestamp } of muted_users) state.mutedUsers.set(id, timestamp);
    return ['mutedUsers'];
  },
  alert_words: (state, { alert_words }) => {
    state.facts.alert_words = alert_words;
    return ['alertWords'];
  },
  'user_settings update': (state, { property, value }) => {
    const { user_settings: settings } = state.facts;
    if (settings !== undefined)
      state.facts.user_settings = changed(settings, { [property]: value });
    if (property !== 'enable_drafts_synchronization' || value !== false) return ['settings'];
    // No event tells of each draft: what the server had is gone with the setting.
    state.drafts.clear();
    return ['settings', 'drafts'];
  },
  'drafts add': (state, { drafts }) => {
    for (const draft of drafts) state.drafts.set(draft.id, draft);
    return ['drafts'];
  },
  'drafts update': (state, { draft }) => {
    expectKnown(state, 'drafts', state.drafts, draft.id);
    state.drafts.set(draft.id, draft);
    return ['drafts'];
  },
  'drafts remove': (state, { draft_id: id }) => {
    expectKnown(state, 'drafts', state.drafts, id);
    state.drafts.delete(id);
    return ['drafts'];
  },
  'scheduled_messages add': (state, { scheduled_messages: messages }) => {
    for (const message of messages) state.scheduled.set(message.scheduled_message_id, message);
    return ['scheduled'];
  },
  'scheduled_messages update': (state, { scheduled_message: message }) => {
    const { scheduled_message_id: id } = message;
    expectKnown(state, 'scheduled_messages', state.scheduled, id);
    state.scheduled.set(id, message);
    return ['scheduled'];
  },
  'scheduled_messages remove': (state, { scheduled_message_id: id }) => {
    expectKnown(state, 'scheduled_messages', state.scheduled, id);
    state.scheduled.delete(id);
    return ['scheduled'];
  },
  'reminders add': (state, { reminders }) => {
    for (const reminder of reminders) state.reminders.set(reminder.reminder_id, reminder);
    return ['reminders'];
  },
  'reminders remove': (state, { reminder_id: id }) => {
    expectKnown(state, 'reminders', state.reminders, id);
    state.reminders.delete(id);
    return ['reminders'];
  },
  'saved_snippets add': (state, { saved_snippet: snippet }) => {
    state.snippets.set(snippet.id, snippet);
    return ['snippets'];
  },
  'saved_snippets update': (state, { saved_snippet: snippet }) => {
    expectKnown(state, 'saved_snippets', state.snippets, snippet.id);
    state.snippets.set(snippet.id, snippet);
    return ['snippets'];
  },
  'saved_snippets remove': (state, { saved_snippet_id: id }) => {
    expectKnown(state, 'saved_snippets', state.snippets, id);
    state.snippets.delete(id);
    return ['snippets'];
  },
  'navigation_view add': (state, { navigation_view: view }) => {
    state.views.set(view.fragment, view);
    return ['views'];
  },
  'navigation_view update': (state, { fragment, data }) => {
    const view = state.views.get(fragment);
    if (view === undefined) {
      state.mismatch('navigation_views', `there is no view ${fragment}`);
      return NOTHING;
    }
    state.views.set(fragment, changed(view, data));
    return ['views'];
  },
  'navigation_view remove': (state, { fragment }) => {
    expectKnown(state, 'navigation_views', state.views, fragment);
    state.views.delete(fragment);
    return ['views'];
  },
  onboarding_steps: (state, { onboarding_steps }) => {
    state.facts.onboarding_steps = onboarding_steps;
    return ['onboarding'];
  },
  push_device: (state, { push_account_id: id, status, error_code }) => {
    const device = { status, error_code: error_code ?? null };
    state.facts.push_devices = { ...state.facts.push_devices, [id]: device };
    return ['pushDevices'];
  },
  has_zoom_token: (state, { value }) => {
    state.facts.has_zoom_token = value;
    return ['own'];
  },
};

function expectKnown<Key>(
  state: Contents,
  field: string,
  known: ReadonlyMap<Key, unknown>,
  key: Key,
) {
  if (!known.has(key)) state.mismatch(field, `nothing of ${field} has the id ${key}`);
}
