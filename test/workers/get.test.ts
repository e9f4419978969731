import { expect, test } from 'vitest';
import { get } from '../../src/workers/get.ts';
import { NotPossible } from '../../src/workers/hosts.ts';
import { startSite } from '../support/pages/site.ts';

test.each(['127.0.0.1', 'localhost', '[::ffff:7f00:1]'])(
  'where a site sends this server to is judged anew: not to %s',
  async (host) => {
    let isPublic = true;
    const site = await startSite((_path, response) => {
      // The first address passes as a public one would.
      isPublic = false;
      response.writeHead(301, { location: `http://${host}:${site.port}/secret` }).end();
    });
    const getting = {
      url: `${site.url}/a`,
      headers: {},
      signal: new AbortController().signal,
      get allowsPrivate() {
        return isPublic;
      },
    };
    await expect(get(getting)).rejects.toThrow(NotPossible);
    expect(site.requests).toEqual(['/a']);
  },
);

test('a GET ends when its time is up, before the response and during it', async () => {
  const gone = new AbortController();
  const site = await startSite((path, response) => {
    if (path === '/begun') response.writeHead(200).write('begun');
    else gone.abort();
  });
  const getting = { headers: {}, signal: gone.signal, allowsPrivate: true };
  const { response } = await get({ ...getting, url: `${site.url}/begun` });
  await expect(get({ ...getting, url: `${site.url}/silent` })).rejects.toThrow('aborted');
  await expect(response.toArray()).rejects.toThrow('aborted');
});
