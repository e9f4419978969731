import { Writable } from 'node:stream';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { ignoreSignals, stopOnSignals } from '../src/signals.ts';

test.each([
  { where: 'at a terminal', hasTerminal: true, does: ['stops'] },
  { where: 'without a terminal', hasTerminal: false, does: ['reads the certificate'] },
])('at a SIGHUP, a server $where $does', ({ hasTerminal, does }) => {
  const before = process.listeners('SIGHUP');
  const all = ['SIGHUP', 'SIGTERM', 'SIGINT', 'SIGQUIT', 'SIGUSR2'] as const;
  const kept = all.map((signal) => ({ signal, listeners: process.listeners(signal) }));
  onTestFinished(() => {
    for (const { signal, listeners } of kept) {
      process.removeAllListeners(signal);
      for (const listener of listeners) process.on(signal, listener);
    }
  });
  for (const listener of before) process.off('SIGHUP', listener);
  const lines: string[] = [];
  const log = pino(
    new Writable({
      write(chunk: Buffer, _, done) {
        lines.push(chunk.toString());
        done();
      },
    }),
  );
  const done: string[] = [];
  ignoreSignals(log);
  stopOnSignals({
    log,
    hasTerminal,
    stop: () => done.push('stops'),
    readTlsAgain: () => done.push('reads the certificate'),
  });
  process.emit('SIGHUP', 'SIGHUP');
  expect(done).toEqual(does);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('"signal":"SIGHUP"');
});
