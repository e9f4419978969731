import { rmSync, writeFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { startMailServer } from '../../support/notifications/mail-server.ts';
import { startProcess } from '../../support/processes/start-process.ts';
import { buildSyncShim, hasCompiler } from '../../support/processes/sync-shim.ts';
import { someOf } from '../../support/runs.ts';

/**
 * A commit takes two syncs: with these counts the message is there, its recipients are being looked
 * for, or they were found.
 */
test.runIf(hasCompiler).each(someOf([2, 3, 4], { every: 2 }))(
  '2: killed right after sync %i of a message that is missed, the server has mailed it once when it is back',
  async (count) => {
    const { library, trigger } = buildSyncShim();
    const mailServer = await startMailServer();
    const server = await startProcess({
      LD_PRELOAD: library,
      LAST_SYNC: trigger,
      CONFAB_SMTP_URL: mailServer.url,
    });
    const mel = server.people['mel'] ?? expect.fail();
    const max = server.people['max'] ?? expect.fail();
    await server.patch(mel, '/settings', { email_notifications_batching_period_seconds: 1 });
    const message = { type: 'direct', to: [mel.id], content: 'once' };
    const isEnded = server.ended();
    writeFileSync(trigger, String(count));
    let reply = await server.post(max, '/messages', message).catch(() => null);
    const isAnswered = reply !== null;
    // Messages to oneself cause no mail: their commits bring about the last sync.
    const poke = { type: 'direct', to: [max.id], content: 'poke' };
    while (reply !== null) reply = await server.post(max, '/messages', poke).catch(() => null);
    expect(await isEnded).toEqual({ code: null, signal: 'SIGKILL' });

    rmSync(trigger);
    await server.start();
    const everything = { anchor: 'oldest', num_after: 100, apply_markdown: false };
    const { messages } = (await server.get(mel, '/messages', everything)).body;
    const isThere = messages.some(({ content }: { content: string }) => content === 'once');
    // A commit of the server itself may have had the last sync. Then the client was not answered,
    // and sends again.
    expect(isThere || !isAnswered).toBe(true);
    if (!isThere) await server.post(max, '/messages', message);
    await vi.waitFor(() => expect(mailServer.received).toHaveLength(1), { timeout: 20_000 });
    expect(mailServer.received[0]?.text).toContain('once');
    expect(mailServer.received[0]?.to).toBe(mel.email);
  },
);
