import { applyTo } from '@confab/client/store';
import { expect, test } from 'vitest';
import { app } from '../../../../web/app/store/app.ts';
import { personOf } from '../../../../web/app/store/model.ts';
import { openAccount } from './snapshot.ts';

test('somebody who comes while one is there has initials, until they have a picture', () => {
  openAccount();
  app.follow(applyTo);
  const person = {
    user_id: 12,
    full_name: 'New Person',
    email: 'new@example.com',
    delivery_email: null,
    is_bot: false,
    is_active: true,
    role: 400,
    avatar_url: '/avatar/12?v=1',
    avatar_version: 1,
  };
  app.apply([{ id: 1, type: 'realm_user', op: 'add', person } as never]);
  expect(personOf(12)).toMatchObject({ name: 'New Person', avatarUrl: null });
  const picture = { user_id: 12, avatar_url: '/avatar/12?v=2', avatar_version: 2 };
  app.apply([{ id: 2, type: 'realm_user', op: 'update', person: picture } as never]);
  expect(personOf(12).avatarUrl).toBe('/avatar/12?v=2');
});
