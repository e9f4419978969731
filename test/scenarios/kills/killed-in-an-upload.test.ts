import { rmSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { storedFiles, upload } from '../../support/files/uploads.ts';
import { startProcess } from '../../support/processes/start-process.ts';
import { buildSyncShim, hasCompiler } from '../../support/processes/sync-shim.ts';
import { someOf } from '../../support/runs.ts';

/**
 * The syncs are of the file, its folders, then the commit: whatever the process had done when it
 * ended, one of these counts is right after it.
 */
test.runIf(hasCompiler).each(someOf([1, 2, 3, 4, 5], { every: 2 }))(
  '2: killed right after sync %i of an upload, the server has the file with its row, or neither',
  async (count) => {
    const { library, trigger } = buildSyncShim();
    const server = await startProcess({ LD_PRELOAD: library, LAST_SYNC: trigger });
    const mel = server.people['mel'] ?? expect.fail();
    const acknowledged: string[] = [];
    writeFileSync(trigger, String(count));
    const send = () => upload(server, mel, { content: 'hello' }).catch(() => null);
    for (let reply = await send(); reply !== null; reply = await send()) {
      expect(reply.status).toBe(200);
      acknowledged.push(reply.body.url);
    }
    expect(await server.ended()).toEqual({ code: null, signal: 'SIGKILL' });

    rmSync(trigger);
    await server.start();
    const { body } = await server.get(mel, '/attachments');
    const paths = body.attachments.map(({ path_id }: { path_id: string }) => path_id).sort();
    const places = paths.map((path: string) => path.split('/').slice(1, 3).join('/'));
    expect(storedFiles(server.data)).toEqual(places);
    expect(paths.map((path: string) => `/user_uploads/${path}`)).toEqual(
      expect.arrayContaining(acknowledged),
    );
    expect(paths.length - acknowledged.length).toBeLessThanOrEqual(1);
    expect(body.upload_space_used).toBe(5 * paths.length);
  },
);
