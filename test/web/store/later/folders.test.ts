import { State } from '@confab/client/store';
import { expect, test } from 'vitest';
import {
  changeFolder,
  createFolder,
  listedFolders,
  movedOrder,
  moveFolder,
} from '../../../../web/app/store/channels/folders.ts';
import { openAccount, snapshot } from './snapshot.ts';

const folder = (id: number, name: string, order: number, is_archived = false) => ({
  id,
  name,
  description: '',
  order,
  is_archived,
});

const FOLDERS = {
  channel_folders: [
    folder(1, 'work', 2),
    folder(2, 'old', 0, true),
    folder(3, 'play', 1),
    folder(4, 'rest', 3),
  ],
};

test('folders are listed in their order with how many channels they have, the archive last', () => {
  const inFolder = {
    subscriptions: [
      { stream_id: 1, name: 'a', folder_id: 3, is_archived: false, description: '' },
      { stream_id: 2, name: 'b', folder_id: 3, is_archived: true, description: '' },
    ],
    never_subscribed: [
      { stream_id: 3, name: 'c', folder_id: 3, is_archived: false, description: '' },
      { stream_id: 4, name: 'd', folder_id: null, is_archived: false, description: '' },
    ],
  };
  const found = listedFolders(new State(snapshot({ ...FOLDERS, ...inFolder })));
  expect(found.map(({ name, channels, isArchived }) => [name, channels, isArchived])).toEqual([
    ['play', 2, false],
    ['work', 0, false],
    ['rest', 0, false],
    ['old', 0, true],
  ]);
});

test('a folder moves by a place, and those in the archive stay behind', () => {
  const state = new State(snapshot(FOLDERS));
  expect(movedOrder(state, 1, -1)).toEqual([1, 3, 4, 2]);
  expect(movedOrder(state, 1, 1)).toEqual([3, 4, 1, 2]);
  expect(movedOrder(state, 3, -1)).toBeNull();
  expect(movedOrder(state, 4, 1)).toBeNull();
  expect(movedOrder(state, 2, 1)).toBeNull();
});

test('making, changing and moving a folder are one request each', async () => {
  const requests = openAccount(() => ({ channel_folder_id: 9 }), FOLDERS);
  expect(await createFolder(' plans ')).toBe(9);
  await changeFolder(1, { name: 'labour' });
  await moveFolder(4, -1);
  await moveFolder(4, 1);
  expect(requests.map(({ path, params }) => [path, params])).toEqual([
    ['/channel_folders/create', { name: 'plans', description: '' }],
    ['/channel_folders/{channel_folder_id}', { channel_folder_id: 1, name: 'labour' }],
    ['/channel_folders', { order: [3, 4, 1, 2] }],
  ]);
});
