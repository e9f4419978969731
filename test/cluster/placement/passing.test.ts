import { expect, test } from 'vitest';
import { startPlaced } from '../../support/cluster/placed.ts';
import { download, uploaded } from '../../support/files/uploads.ts';

const DIRECT = { type: 'direct', content: 'hello' };
const FIVE = ['a', 'b', 'c', 'd', 'e'];

test('of five nodes two have a copy, and clients send, read, poll and listen at any', async () => {
  const placed = await startPlaced(FIVE);
  const { people, nodes, shard } = placed;
  const { mel, max } = people;
  expect(placed.holders().length).toBe(2);
  expect(placed.others().length).toBe(3);
  for (const node of nodes) {
    const queue = await node.register(max, { event_types: ['message'] });
    const socket = await node.socket(max, {
      query: `?queue_id=${queue.id}&last_event_id=${queue.lastEventId}`,
    });
    const content = `from ${node.name}`;
    const sent = await node.post(mel, '/messages', { ...DIRECT, content, to: [max.id] });
    expect(sent.body).toMatchObject({ result: 'success' });
    expect((await node.get(max, `/messages/${sent.body.id}`)).body).toMatchObject({
      message: { content: `<p>${content}</p>` },
    });
    expect(await socket.frame('events')).toMatchObject({ events: [{ message: { content } }] });
    socket.close();
    await socket.closed();
    const polled = await node.register(max, { event_types: ['message'] });
    const waiting = polled.next();
    await node.post(mel, '/messages', { ...DIRECT, content: 'again', to: [max.id] });
    expect(await waiting).toMatchObject([{ message: { content: 'again' } }]);
    const url = await uploaded(node, mel, { content: `file of ${node.name}` });
    const { bytes } = await download(node, url, { as: mel });
    expect(String(bytes)).toBe(`file of ${node.name}`);
  }
  await placed.settled();
  const [{ app } = expect.fail()] = placed.others();
  expect(app.node?.describe().shards[shard]?.state).toBe('passing on');
  for (const node of nodes) expect(node.errors).toEqual([]);
});
