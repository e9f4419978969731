import { expect, test } from 'vitest';
import { missing } from '../../support/refusals.ts';
import { startServer } from '../../support/start-server.ts';

const CALLS = [
  {
    method: 'get',
    path: '/calls/bigbluebutton/create',
    params: { meeting_name: 'Standup', voice_only: true },
    msg: 'BigBlueButton is not configured.',
  },
  {
    method: 'post',
    path: '/calls/zoom/create',
    params: { is_video_call: false },
    msg: 'Zoom credentials have not been configured',
  },
  {
    method: 'post',
    path: '/calls/webex/create',
    params: {},
    msg: 'Webex credentials have not been configured',
  },
  {
    method: 'post',
    path: '/calls/nextcloud_talk/create',
    params: { room_name: 'Standup' },
    msg: 'Nextcloud Talk is not configured.',
  },
  {
    method: 'post',
    path: '/calls/constructorgroups/create',
    params: {},
    msg: 'Constructor Groups is not configured.',
  },
] as const;

test.each(CALLS)('a server without the service says so: $path', async (call) => {
  const server = await startServer();
  const { mel, gus, bot } = server.people;
  for (const person of [mel, gus, bot]) {
    expect(await server[call.method](person, call.path, call.params)).toMatchObject({
      status: 400,
      body: { result: 'error', code: 'BAD_REQUEST', msg: call.msg },
    });
  }
  const { status, body } = await server[call.method](null, call.path, call.params);
  expect([status, body.code]).toEqual([401, 'UNAUTHORIZED']);
});

test.each([
  { method: 'get', path: '/calls/bigbluebutton/create', params: {}, is: missing('meeting_name') },
  { method: 'post', path: '/calls/nextcloud_talk/create', params: {}, is: missing('room_name') },
  {
    method: 'post',
    path: '/calls/zoom/create',
    params: { is_video_call: 'perhaps' },
    is: { code: 'BAD_REQUEST', msg: 'is_video_call is not a boolean' },
  },
] as const)('what is wrong with the request comes first: $path', async (call) => {
  const server = await startServer();
  const reply = await server[call.method](server.people.mel, call.path, call.params);
  expect(reply).toMatchObject({ status: 400, body: call.is });
});
