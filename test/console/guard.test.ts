import { expect, test } from 'vitest';
import { isAct, isOfConsole, isOwnHost } from '../../src/console/guard.ts';

test.each([
  { host: '127.0.0.1:8081', isOwn: true },
  { host: 'localhost', isOwn: true },
  { host: 'LOCALHOST:9000', isOwn: true },
  { host: '[::1]:8081', isOwn: true },
  { host: '10.0.0.5:8081', isOwn: true },
  { host: 'ops.example.com:8081', isOwn: true },
  { host: 'evil.example:8081', isOwn: false },
  { host: '127.0.0.1.evil.example', isOwn: false },
  { host: 'localhost.evil.example', isOwn: false },
  { host: '', isOwn: false },
  { host: undefined, isOwn: false },
])('the host $host means this listener: $isOwn', ({ host, isOwn }) => {
  expect(isOwnHost(host, 'ops.example.com')).toBe(isOwn);
});

const HOST = '127.0.0.1:8081';
const OWN = { host: HOST, origin: `http://${HOST}`, 'content-type': 'application/json' };

test.each([
  { why: 'a page of the console', head: OWN, isOf: true },
  { why: 'behind a proxy with TLS', head: { ...OWN, origin: `https://${HOST}` }, isOf: true },
  { why: 'an address that was typed', head: { host: HOST, 'sec-fetch-site': 'none' }, isOf: true },
  { why: 'no browser', head: { host: HOST }, isOf: true },
  { why: 'another port', head: { ...OWN, origin: 'http://127.0.0.1:3000' }, isOf: false },
  { why: 'another site', head: { ...OWN, origin: 'https://evil.example' }, isOf: false },
  { why: 'a sandboxed page', head: { ...OWN, origin: 'null' }, isOf: false },
  { why: 'a picture of another port', head: { host: HOST, 'sec-fetch-site': 'same-site' }, isOf: false },
  { why: 'a link of another site', head: { host: HOST, 'sec-fetch-site': 'cross-site' }, isOf: false },
])('a request of $why is of the console: $isOf', ({ head, isOf }) => {
  expect(isOfConsole(head)).toBe(isOf);
}); // biome-ignore format: a table

test.each([
  { why: 'the page', head: OWN, isIt: true },
  { why: 'a form', head: { ...OWN, 'content-type': 'text/plain' }, isIt: false },
  { why: 'a request without an origin', head: { ...OWN, origin: undefined }, isIt: false },
  { why: 'another port', head: { ...OWN, origin: 'http://127.0.0.1:3000' }, isIt: false },
])('$why may act: $isIt', ({ head, isIt }) => {
  expect(isAct(head)).toBe(isIt);
});
