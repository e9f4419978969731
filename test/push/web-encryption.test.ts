import { expect, test } from 'vitest';
import { encryptedFor, WEB_CONTENT_BYTES_MAX } from '../../src/workers/devices/web-encryption.ts';
import { browserKeys, openedBy } from '../support/push/browser.ts';

const bytes = (text: string) => Buffer.from(text, 'base64url');

test('the example of RFC 8291 comes out byte for byte', () => {
  const keys = {
    p256dh:
      'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
    auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  };
  const body = encryptedFor(keys, Buffer.from('When I grow up, I want to be a watermelon'), {
    privateKey: bytes('yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw'),
    salt: bytes('DGv6ra1nlYgDCS1FRnbzlw'),
  });
  expect(body.toString('base64url')).toBe(
    'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
  );
});

test('the longest content fits, and one octet more is refused', () => {
  const keys = browserKeys();
  const longest = JSON.stringify('x'.repeat(WEB_CONTENT_BYTES_MAX - 2));
  const body = encryptedFor(keys, Buffer.from(longest));
  expect(body.length).toBe(4096);
  expect(openedBy(keys, body)).toBe(JSON.parse(longest));
  expect(() => encryptedFor(keys, Buffer.alloc(WEB_CONTENT_BYTES_MAX + 1))).toThrow(RangeError);
});
