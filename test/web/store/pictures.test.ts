import type { ChatEvent } from '@confab/client';
import { expect, test } from 'vitest';
import { ownPath } from '../../../web/app/store/organization/own-path.ts';
import { withOwnPictures } from '../../../web/app/store/people/pictures.ts';

const about = (op: string, person: object) =>
  ({ id: 1, type: 'realm_user', op, person }) as unknown as ChatEvent; // as much of it as counts

test('a person who has uploaded no picture has none, whatever an event says', () => {
  const picture = { avatar_url: '/avatar/12?v=1' };
  const none = { avatar_url: null };
  expect(withOwnPictures(about('add', { user_id: 12, ...picture }))).toEqual(
    about('add', { user_id: 12, ...none }),
  );
  expect(withOwnPictures(about('update', { avatar_source: 'G', ...picture }))).toEqual(
    about('update', { avatar_source: 'G', ...none }),
  );
  const uploaded = about('update', { avatar_source: 'U', ...picture });
  expect(withOwnPictures(uploaded)).toBe(uploaded);
  const renamed = about('update', { full_name: 'Ada' });
  expect(withOwnPictures(renamed)).toBe(renamed);
});

test('pictures of the organization come from where the page comes from', () => {
  const realm = 'https://chat.example.com';
  expect(ownPath(`${realm}/static/realm-icon.png`, realm)).toBe('/static/realm-icon.png');
  expect(ownPath(`${realm}.evil.example/icon.png`, realm)).toBe(`${realm}.evil.example/icon.png`);
  expect(ownPath('/static/realm-icon.png', realm)).toBe('/static/realm-icon.png');
  expect(ownPath('https://elsewhere.example/icon.png', undefined)).toBe(
    'https://elsewhere.example/icon.png',
  );
});
