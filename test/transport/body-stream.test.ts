import { expect, test } from 'vitest';
import { UPLOADS_HELD_BYTES_MAX } from '../../src/domain/limits/files.ts';
import { BodyStream } from '../../src/transport/body-stream.ts';
import type { HttpResponse } from '../../src/transport/library/sockets.ts';

type Take = (chunk: ArrayBuffer, isLast: boolean) => void;

/**
 * Opens a body, and returns the function that the library calls with its chunks. The library reads
 * on although the client is told to wait.
 */
function bodyUnderWay() {
  let take: Take = () => expect.fail();
  const res = {
    onData(handler: Take) {
      take = handler;
    },
    pause: () => undefined,
    resume: () => undefined,
  };
  // A body uses only these methods of a response.
  const counts = { receivedBytes: 0, uploadedBytes: 0 };
  const given = { contentType: 'text/plain', contentLength: null };
  const body = new BodyStream(res as unknown as HttpResponse, given, counts);
  return { body, take, counts };
}

const CHUNK = new ArrayBuffer(8 * 1024 * 1024);
const CHUNKS = UPLOADS_HELD_BYTES_MAX / CHUNK.byteLength;

async function bytesOf(body: BodyStream): Promise<number> {
  let bytes = 0;
  for await (const chunk of body) bytes += chunk.length;
  return bytes;
}

test('bodies hold so much together; one that is too much is refused, and the others are whole', async () => {
  const [first, second, third] = [bodyUnderWay(), bodyUnderWay(), bodyUnderWay()];
  for (let n = 0; n < CHUNKS - 1; n += 1) first.take(CHUNK, false);
  second.take(CHUNK, false);
  second.take(CHUNK, true);
  await expect(bytesOf(second.body)).rejects.toMatchObject({ code: 'RATE_LIMIT_HIT' });

  first.take(CHUNK, true);
  expect(await bytesOf(first.body)).toBe(UPLOADS_HELD_BYTES_MAX);
  // The metrics count what arrived and was taken, be it read or not.
  expect(first.counts.uploadedBytes).toBe(UPLOADS_HELD_BYTES_MAX);
  expect(second.counts).toEqual({
    receivedBytes: CHUNK.byteLength,
    uploadedBytes: CHUNK.byteLength,
  });
  for (let n = 1; n <= CHUNKS; n += 1) third.take(CHUNK, n === CHUNKS);
  expect(await bytesOf(third.body)).toBe(UPLOADS_HELD_BYTES_MAX);
});

test('what a body held that was broken off is free again', async () => {
  const [first, second] = [bodyUnderWay(), bodyUnderWay()];
  for (let n = 0; n < CHUNKS; n += 1) first.take(CHUNK, false);
  first.body.breakOff();
  for (let n = 1; n <= CHUNKS; n += 1) second.take(CHUNK, n === CHUNKS);
  expect(await bytesOf(second.body)).toBe(UPLOADS_HELD_BYTES_MAX);
});
