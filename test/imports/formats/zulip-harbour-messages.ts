// The messages of the export in `zulip-harbour.ts`.

/** UNIX seconds, of a message with the id 0. */
export const SENT_AT = 1_709_283_600;
const EDITED_AT = 1_795_779_366;
/** The paths of two uploads. */
export const [PLAN, PHOTO] = ['2/d5/gEH7/tide-plan-1.txt', '2/2f/_RmT/båt.png'] as const;

const message = (id: number, content: string, more: object = {}) => ({
  id,
  sender: 6,
  recipient: 204,
  type: 1,
  realm: 2,
  subject: 'welcome',
  content,
  rendered_content: '<p></p>',
  date_sent: SENT_AT + id + 0.5,
  sending_client: 2,
  last_edit_time: null,
  edit_history: null,
  has_attachment: false,
  ...more,
});

const edits = (...entries: readonly object[]) => ({
  last_edit_time: EDITED_AT + 0.25,
  edit_history: JSON.stringify(
    entries.map((entry) => ({ user_id: 7, timestamp: EDITED_AT, ...entry })),
  ),
});

const QUAY = '#narrow/channel/4-quay/topic/welcome';
const YARD = '#narrow/channel/5-Yard-.26-tools-.3E-new/topic/ropes';

export const MESSAGES = [
  message(20, 'Good morning **all** :boat_up:'),
  message(21, '@**Tom Berg** and @_**Oto Vale|10** and @**Oto Vale|9** see @*crew* or @_*crew*'),
  message(
    22,
    'See :zulip: and `:zulip:` #**Yard & tools > new** and #**quay>welcome@20** and @_*role:members*',
  ),
  message(
    23,
    `@_**Tom Berg|7** [said](http://harbour.chat.example/${QUAY}/near/20):
\`\`\`quote
@**Oto Vale|10** [plan](/user_uploads/${PLAN})
\`\`\`
\`\`\`\`\`spoiler The end
\`\`\`python
print('@**Oto Vale|10**')
\`\`\`
@**Oto Vale|10**
\`\`\`\`\``,
  ),
  message(
    24,
    `[there](${YARD}/near/30) or http://harbour.chat.example/${QUAY}, [dm](#narrow/dm/6,7-dm)`,
  ),
  message(25, `[](/user_uploads/${PHOTO}) at https://other.example/#narrow/channel/4-dock/topic/a`),
  message(26, '| who | @**Rosa Lind** |\n|---|---|\n| 1 | 2 |'),
  message(27, '/poll Which pier?\nNorth\nSouth', { subject: 'votes' }),
  message(28, 'A message without topic', { subject: '' }),
  message(30, 'We need rope', { recipient: 205, subject: 'ropes', sender: 9 }),
  message(35, 'third text with @**Tom Berg**', {
    subject: 'edits',
    ...edits(
      { prev_content: 'second for @**Oto Vale|10**', prev_rendered_content: '<p></p>' },
      { prev_content: 'first text', prev_rendered_content: '<p></p>' },
    ),
  }),
  message(36, 'moved', {
    subject: 'moved here',
    ...edits({ prev_topic: 'edits', topic: 'moved here' }),
  }),
  message(37, 'moved far', {
    recipient: 205,
    subject: 'edits',
    ...edits({ prev_stream: 4, stream: 5 }),
  }),
  message(39, 'It is fixed now', {
    subject: '✔ broken pump',
    ...edits({ prev_topic: 'broken pump', topic: '✔ broken pump' }),
  }),
  message(40, 'High tide', { sender: 13, subject: 'tides' }),
  message(47, 'Hello web', { recipient: 208, subject: 'open' }),
  message(48, 'Sunk', { recipient: 209, subject: 'past' }),
  message(51, 'help me', { recipient: 5, subject: '' }),
  message(52, 'three of us', { recipient: 301, subject: '' }),
  message(63, '@_**Rosa Lind|6** has marked this topic as resolved.', {
    sender: 4,
    type: 2,
    subject: '✔ broken pump',
  }),
];

export const USER_MESSAGES = [
  { id: 1, user_profile: 9, message: 20, flags_mask: 1 | 2 },
  { id: 2, user_profile: 7, message: 20, flags_mask: 0 },
  { id: 3, user_profile: 7, message: 21, flags_mask: 8 },
  { id: 6, user_profile: 9, message: 21, flags_mask: 8 },
  { id: 7, user_profile: 6, message: 47, flags_mask: 1 },
  { id: 8, user_profile: 9, message: 47, flags_mask: 0 },
  { id: 4, user_profile: 9, message: 52, flags_mask: 2048 },
  { id: 5, user_profile: 7, message: 52, flags_mask: 2048 | 1 },
];
