import { readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { statusHere } from '../../src/admin/backups.ts';
import { type Created, createBackup } from '../../src/backups/create-backup.ts';
import { lastBackup } from '../../src/backups/last-backup.ts';
import { BackupError } from '../../src/backups/manifest.ts';
import { openPlace, openSource } from '../../src/backups/places/open-place.ts';
import {
  type BackupFailure,
  openBackupSchedule,
  type ScheduleInput,
} from '../../src/backups/schedule.ts';
import { verifyBackup } from '../../src/backups/verify-backup.ts';
import { timeOfDay } from '../../src/domain/times-of-day.ts';
import { temporaryFolder } from '../support/scratch.ts';
import { startServer, type TestServer } from '../support/start-server.ts';
import { testClock } from '../support/test-clock.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

test('a backup is made at each time of the schedule, in UTC, and none between them', async () => {
  const { clock, made, at } = scheduled({ times: ['03:30', '*:45'], lastSuccessAt: NOW });
  for (let hours = 0; hours < 24; hours++) await passing(clock, HOUR);
  const hourly = Array.from({ length: 24 }, (_, hour) => `${String(hour).padStart(2, '0')}:45`);
  expect(made.map(at).sort()).toEqual([...hourly, '03:30'].sort());
});

test.each([
  { why: 'none was ever made', lastSuccessAt: null },
  { why: 'no server ran at the last time', lastSuccessAt: Date.UTC(2026, 0, 5, 3, 29) },
])('a backup is made soon after the start if $why', async ({ lastSuccessAt }) => {
  const { clock, made, at } = scheduled({ times: ['03:30'], lastSuccessAt });
  await passing(clock, MINUTE);
  expect(made.map(at)).toEqual(['09:00']);
  await passing(clock, DAY);
  expect(made.map(at)).toEqual(['09:00', '03:30']);
});

test('a failed backup is tried again after 1, 5 and 15 minutes, then at its next time', async () => {
  const { clock, made, failures, at, fails } = scheduled({ times: ['10:00'], lastSuccessAt: NOW });
  fails(true);
  await passing(clock, 2 * HOUR);
  expect(made.map(at)).toEqual(['10:00', '10:01', '10:06', '10:21']);
  const again = failures.map(({ againAt }) => new Date(againAt).toISOString().slice(8, 16));
  expect(again).toEqual(['05T10:01', '05T10:06', '05T10:21', '06T10:00']);
  fails(false);
  await passing(clock, DAY);
  expect(made.map(at).slice(4)).toEqual(['10:00']);
});

test('a time of the schedule that comes first ends the tries', async () => {
  const { clock, made, at, fails } = scheduled({ times: ['*:00', '*:03'], lastSuccessAt: NOW });
  fails(true);
  await passing(clock, HOUR + 6 * MINUTE);
  expect(made.map(at)).toEqual([
    '09:03',
    '09:04',
    '09:09',
    '09:24',
    '10:00',
    '10:01',
    '10:03',
    '10:04',
  ]);
});

test('a stopped schedule begins nothing, and gives up what it has begun', async () => {
  const { clock, schedule, made, failures, holds } = scheduled({
    times: ['10:00'],
    lastSuccessAt: NOW,
  });
  const held = holds();
  await passing(clock, HOUR);
  expect(made).toHaveLength(1);
  schedule.stop();
  expect(held.signal?.aborted).toBe(true);
  held.release();
  await schedule.ended();
  await passing(clock, 2 * DAY);
  expect(made).toHaveLength(1);
  expect(failures).toEqual([]);
});

test('the newest backups stay, older ones and remains go once a new one is verified', async () => {
  const server = await startServer();
  const to = temporaryFolder();
  const remains = 'confab-2026-01-01T000000Z-0000.part';
  const others = ['confab-mine', 'notes.txt'];
  for (const name of [remains, ...others]) writeFileSync(join(to, name), '');
  const names: string[] = [];
  for (let index = 0; index < 4; index++) {
    const { backup, removed } = await backUp(server, { to, keep: 2 });
    names.push(backup.slice(to.length + 1));
    expect(removed).toEqual([[remains], [], names.slice(0, 1), names.slice(1, 2)][index]);
    await server.advance(1_000);
  }
  expect(readdirSync(to).sort()).toEqual([...others, ...names.slice(2)].sort());
});

test('a backup that is damaged is removed, and the older ones stay', async () => {
  const server = await startServer();
  const to = temporaryFolder();
  const { backup } = await backUp(server, { to, keep: 1 });
  await server.advance(1_000);
  const harm = (made: string) => truncateSync(join(made, 'realms/1/data.mdb'), 4096);
  await expect(backUp(server, { to, keep: 1, harm })).rejects.toThrow(/data\.mdb: it has 4096/);
  expect(readdirSync(to)).toEqual([backup.slice(to.length + 1)]);
  expect(lastBackup(server.data)).toMatchObject({
    lastSuccessAt: server.clock.now() - 1_000,
    lastFailureAt: server.clock.now(),
    lastFailure: expect.stringMatching(/data\.mdb: it has 4096 bytes/),
  });
});

test('the last backup is kept in a file, and a failure before it is forgotten', async () => {
  const server = await startServer();
  const to = join(temporaryFolder(), 'backups');
  expect(lastBackup(server.data)).toMatchObject({ lastSuccessAt: null, lastFailure: null });
  writeFileSync(to, 'this is a file');
  await expect(backUp(server, { to })).rejects.toThrow(BackupError);
  expect(statusHere(server.app.realms)).toMatchObject({
    last_success: null,
    last_failure: '2026-01-05T09:00:00.000Z',
    why: expect.stringContaining(to),
  });
  rmSync(to);
  const { backup, bytes, files } = await backUp(server, { to });
  const kept: unknown = JSON.parse(readFileSync(join(server.data, 'last-backup.json'), 'utf8'));
  expect(kept).toEqual(lastBackup(server.data));
  expect(statusHere(server.app.realms)).toEqual({
    to: null,
    last_success: '2026-01-05T09:00:00.000Z',
    backup,
    bytes,
    files,
    seconds: expect.any(Number),
    last_failure: null,
    why: null,
  });
});

const NOW = testClock().now();

function scheduled({ times, lastSuccessAt }: { times: string[]; lastSuccessAt: number | null }) {
  const clock = testClock();
  const made: number[] = [];
  const failures: BackupFailure[] = [];
  const held: { signal?: AbortSignal; release: () => void } = { release: () => undefined };
  let work: ScheduleInput['create'] = async () => CREATED;
  const schedule = openBackupSchedule({
    clock,
    times: times.map(timeOfDay),
    lastSuccessAt,
    create(signal) {
      made.push(clock.now());
      return work(signal);
    },
    onCreated: () => undefined,
    onFailed: (failure) => void failures.push(failure),
  });
  return {
    clock,
    schedule,
    made,
    failures,
    at: (time: number) => new Date(time).toISOString().slice(11, 16),
    fails(isFailing: boolean) {
      work = async () => {
        if (isFailing) throw new BackupError('the disk is full');
        return CREATED;
      };
    },
    /** From now on a backup goes on until it is released, and then fails. */
    holds() {
      work = (signal) =>
        new Promise((_resolve, reject) => {
          held.signal = signal;
          held.release = () => reject(new Error('given up'));
        });
      return held;
    },
  };
}

const CREATED: Created = {
  backup: '/backups/one',
  bytes: 1,
  files: 1,
  realms: [],
  is_verified: true,
  seconds: 1,
};

/** Lets time pass by half minutes, so that what is done at each moment ends there. */
async function passing(clock: ReturnType<typeof testClock>, ms: number) {
  for (let left = ms; left > 0; left -= 30_000) {
    clock.advance(Math.min(left, 30_000));
    await new Promise((resolve) => setImmediate(resolve));
  }
}

interface BackingUp {
  readonly to: string;
  readonly keep?: number;
  /** Damages the new backup before it is verified. */
  readonly harm?: (backup: string) => void;
}

function backUp({ app, data, clock }: TestServer, { to, harm, ...kept }: BackingUp) {
  const { s3 } = app.realms.settings;
  const source = { data, realms: app.realms.all(), leftOut: [], now: () => clock.now() };
  return createBackup(source, {
    ...kept,
    place: openPlace(to, s3),
    async verify(address) {
      harm?.(address);
      await verifyBackup(openSource(address, s3));
    },
  });
}
