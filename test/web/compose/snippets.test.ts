import { expect, test } from 'vitest';
import { app } from '../../../web/app/store/app.ts';
import { deleteSnippet, saveSnippet, snippets } from '../../../web/app/store/compose/snippets.ts';
import { openAccount } from '../store/later/snapshot.ts';

const kept = (id: number, title: string, content: string) => ({
  id,
  title,
  content,
  date_created: 1,
});

const saved_snippets = [kept(1, 'Thanks', 'Thank you, all of you'), kept(2, 'Greeting', 'Hello')];

const titles = (text?: string) => snippets(text).map(({ title }) => title);

test('snippets stand by title, and are found by words of both', () => {
  openAccount(undefined, { saved_snippets });
  expect(titles()).toEqual(['Greeting', 'Thanks']);
  expect(titles('hell GREET')).toEqual(['Greeting']);
  expect(titles('you')).toEqual(['Thanks']);
  expect(titles('nothing like it')).toEqual([]);
});

test('events of other clients are followed', () => {
  openAccount(undefined, { saved_snippets });
  let id = 0;
  const event = (op: string, more: object) => ({ id: ++id, type: 'saved_snippets', op, ...more });
  app.apply([
    event('add', { saved_snippet: kept(3, 'Address', 'Main street 1') }),
    event('update', { saved_snippet: kept(2, 'Zap', 'Hello') }),
    event('remove', { saved_snippet_id: 1 }),
  ] as never);
  expect(titles()).toEqual(['Address', 'Zap']);
});

test('one is made, changed and deleted by the calls of the API', async () => {
  const requests = openAccount(undefined, { saved_snippets });
  await saveSnippet(null, { title: ' New ', content: 'text' });
  await saveSnippet(2, { title: 'Other', content: 'text' });
  await deleteSnippet(2);
  expect(requests).toEqual([
    { method: 'POST', path: '/saved_snippets', params: { title: 'New', content: 'text' } },
    {
      method: 'PATCH',
      path: '/saved_snippets/{saved_snippet_id}',
      params: { saved_snippet_id: 2, title: 'Other', content: 'text' },
    },
    {
      method: 'DELETE',
      path: '/saved_snippets/{saved_snippet_id}',
      params: { saved_snippet_id: 2 },
    },
  ]);
});
