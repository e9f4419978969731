import { State } from '@confab/client/store';
import { expect, test } from 'vitest';
import { STATUSES } from '../../../../web/app/store/account/account.ts';
import {
  givenRoles,
  isAmong,
  mayAdministerChannel,
} from '../../../../web/app/store/account/rights.ts';
import { people } from '../../../../web/app/store/model.ts';
import {
  botsIn,
  members,
  shortNameOf,
} from '../../../../web/app/store/organization/organization.ts';
import { foundPeople } from '../../../../web/app/store/people/finding.ts';
import {
  addressesIn,
  invitations,
  inviteByLink,
  inviteByMail,
  revoke,
} from '../../../../web/app/store/people/invitations.ts';
import {
  localTime,
  profileFields,
  profileIn,
  valueText,
} from '../../../../web/app/store/people/profile.ts';
import { openAccount, snapshot } from './snapshot.ts';

const state = (more: object = {}) => new State(snapshot(more));

test('a setting names people by groups within groups, also where those are in a circle', () => {
  const all = state();
  expect(isAmong(all, 4, 20)).toBe(true);
  expect(isAmong(all, 2, 20)).toBe(false);
  expect(isAmong(all, 2, { direct_members: [2], direct_subgroups: [] })).toBe(true);
  expect(isAmong(all, 4, { direct_members: [], direct_subgroups: [30, 21] })).toBe(true);
  expect(isAmong(all, 4, undefined)).toBe(false);
});

test('those whom a channel names administer it, and administrators any', () => {
  expect([1, 2, 3].map((id) => mayAdministerChannel(state(), id))).toEqual([true, false, true]);
  expect(mayAdministerChannel(state({ is_admin: true }), 2)).toBe(true);
});

test('nobody gives a role above their own', () => {
  const roles = (more: object) => givenRoles(state(more)).map(([role]) => role);
  expect(roles({})).toEqual([400, 600]);
  expect(roles({ user_id: 2, is_admin: true })).toEqual([200, 300, 400, 600]);
  expect(roles({ user_id: 1, is_owner: true })).toEqual([100, 200, 300, 400, 600]);
});

test('a profile is null for who may not be seen, and has no address that is hidden', () => {
  const all = state({
    user_status: { 5: { status_text: 'At home' } },
    muted_users: [{ id: 5, timestamp: 1 }],
  });
  expect(profileIn(all, 99)).toBeNull();
  expect(profileIn(all, 5)).toMatchObject({
    name: 'Gus Guest',
    role: 'Guest',
    email: null,
    statusText: 'At home',
    isMuted: true,
  });
  expect(profileIn(all, 8)).toMatchObject({ role: 'Bot', ownerId: 4 });
});

test('the local time follows the zone; an unknown zone has none', () => {
  const at = Date.UTC(2026, 0, 7, 12, 0);
  expect(localTime('Asia/Kolkata', at)).toMatch(/5:30/);
  expect(localTime('', at)).toBeNull();
  expect(localTime('Nowhere/Else', at)).toBeNull();
});

test('values of custom fields are shown in words', async () => {
  const options = JSON.stringify({ 0: { text: 'Tea', order: '1' } });
  openAccount(() => ({
    custom_fields: [
      { id: 1, name: 'Drink', type: 3, field_data: options },
      { id: 2, name: 'Mentor', type: 6, field_data: '' },
      { id: 3, name: 'Broken', type: 3, field_data: '{' },
    ],
  }));
  const [drink, mentor, broken] = await profileFields();
  if (!drink || !mentor || !broken) throw new Error('There are three');
  const nameOf = (id: number) => `user ${id}`;
  expect(valueText(drink, '0', nameOf)).toBe('Tea');
  expect(valueText(mentor, '[2,4]', nameOf)).toBe('user 2, user 4');
  expect(valueText(mentor, 'no list', nameOf)).toBe('no list');
  expect(valueText(broken, '7', nameOf)).toBe('7');
});

test('people are found by words of names and addresses, and the deactivated are not', () => {
  openAccount();
  const found = (text: string) =>
    foundPeople(people.value.values(), text, 3).map(({ name }) => name);
  expect(found('ada')).toEqual(['Ada Administrator', 'Ada Bot']);
  expect(found('member mel')).toEqual(['Mel Member']);
  expect(found('leo')).toEqual([]);
  expect(found('')).toHaveLength(3);
});

test('addresses stand between commas, semicolons and lines, each once', () => {
  expect(addressesIn(' a@x.org, b@x.org;\nMax <m@x.org>\n\na@x.org ')).toEqual([
    'a@x.org',
    'b@x.org',
    'Max <m@x.org>',
  ]);
});

test('invitations by mail and by link say the role, the channels and how long they are good for', async () => {
  const requests = openAccount(() => ({ invite_link: 'https://x.org/join/1/' }));
  const offer = { role: 600, expiry: 'null', channelIds: [1] };
  await inviteByMail('a@x.org\nb@x.org', offer);
  expect(await inviteByLink({ ...offer, expiry: '1440' })).toBe('https://x.org/join/1/');
  const common = { invite_as: 600, stream_ids: [1], include_realm_default_subscriptions: true };
  expect(requests.map(({ params }) => params)).toEqual([
    { invitee_emails: 'a@x.org,b@x.org', ...common, invite_expires_in_minutes: null },
    { ...common, invite_expires_in_minutes: 1_440 },
  ]);
});

test('open invitations come newest first, and links are revoked apart from mails', async () => {
  const requests = openAccount((method) =>
    method === 'GET'
      ? {
          invites: [
            { id: 1, invited: 5, is_multiuse: true },
            { id: 1, invited: 9, is_multiuse: false },
          ],
        }
      : {},
  );
  const [mail, link] = await invitations();
  if (!mail || !link) throw new Error('There are two');
  await revoke(mail);
  await revoke(link);
  expect(requests.slice(1).map(({ path }) => path)).toEqual([
    '/invites/{invite_id}',
    '/invites/multiuse/{invite_id}',
  ]);
});

test('members are found by name, address and role; bots are no members', () => {
  const names = (...[filter, text]: [Parameters<typeof members>[1], string]) =>
    members(state(), filter, text).map(({ name }) => name);
  expect(names('active', '')).toEqual([
    'Ada Administrator',
    'Gus Guest',
    'Mel Member',
    'Ona Owner',
  ]);
  expect(names('active', 'guest')).toEqual(['Gus Guest']);
  expect(names('deactivated', '')).toEqual(['Leo Left']);
});

test('people see their own bots, and administrators all', () => {
  expect(botsIn(state()).map(({ name }) => name)).toEqual(['Mel Bot']);
  expect(botsIn(state({ is_admin: true })).map(({ name, isOwn }) => [name, isOwn])).toEqual([
    ['Ada Bot', false],
    ['Mel Bot', true],
  ]);
});

test.each([
  ['Build Bot', 'build'],
  ['Überwachung 2', 'uberwachung-2'],
  ['  ', ''],
])('the short name of %s is “%s”', (name, short) => {
  expect(shortNameOf(name)).toBe(short);
});

test('statuses that are set with one click are short enough', () => {
  for (const { text } of STATUSES) expect([...text].length).toBeLessThanOrEqual(60);
});
