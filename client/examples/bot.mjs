// Answers whoever mentions it, once for each mention, whatever becomes of the server or of the bot.
import { connect } from '@confab/client';
import { fileOutbox } from '@confab/client/file';

const { CONFAB_URL, CONFAB_EMAIL, CONFAB_KEY } = process.env;

const chat = connect({
  url: CONFAB_URL,
  credentials: { email: CONFAB_EMAIL, key: CONFAB_KEY },
  register: { event_types: ['message'] },
  outbox: fileOutbox('answers'),
});

/** The key names the mention: by it the server knows an answer that it has already. */
async function answer({ id, type, stream_id, subject, sender_id, sender_full_name: name }) {
  const place =
    type === 'stream'
      ? { type: 'channel', to: stream_id, topic: subject }
      : { type: 'direct', to: [sender_id] };
  const entry = chat.send({ ...place, content: `Hello, ${name}!` }, { key: `answer-${id}` });
  await entry.sent;
  await chat.call('POST', '/messages/flags', { messages: [id], op: 'add', flag: 'read' });
}

// Mentions that are unread came while the bot was away.
chat.on('snapshot', async () => {
  const narrow = ['mentioned', 'unread'].map((is) => ['is', is]);
  const range = { anchor: 'oldest', num_before: 0, num_after: 1000 };
  const { messages } = await chat.call('GET', '/messages', { ...range, narrow });
  for (const message of messages) await answer(message);
});

for await (const event of chat.events()) {
  if (event.type === 'message' && event.flags.includes('mentioned')) await answer(event.message);
}
