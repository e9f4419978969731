import { createHash } from 'node:crypto';
import type { TestServer } from '../start-server.ts';

const ITEMS_MAX = 2;
const LENGTH_MAX = 300;

/**
 * Returns a function that makes a value the same at each run: the address of the server and random
 * words are exchanged for others, the same ones within a value. Long lists and texts are cut.
 */
export function settling({ app, people }: TestServer) {
  const keys = new Map(Object.values(people).map(({ apiKey }) => [apiKey, 'YOUR_API_KEY']));
  const origin = `http://test.localhost:${app.port}`;
  return <Value>(value: Value): Value => {
    const words = new Map(keys);
    const text = (given: string) =>
      given
        .replaceAll(origin, 'https://chat.example.com')
        .replaceAll('test.localhost', 'chat.example.com')
        .replace(RANDOM, (word) => {
          const known = words.get(word) ?? madeUp(word, words.size);
          words.set(word, known);
          return known;
        });
    const settle = (given: unknown): unknown => {
      if (typeof given === 'string') return shortened(text(given));
      if (Array.isArray(given)) return given.slice(0, ITEMS_MAX).map(settle);
      if (typeof given !== 'object' || given === null) return given;
      return Object.fromEntries(
        Object.entries(given).map(([name, one]) => [
          text(name),
          madeUpOf(name, one) ?? settle(one),
        ]),
      );
    };
    return settle(value) as Value;
  };
}

/** Matches keys, names of keys and queues, and the random parts of paths of files and links. */
const RANDOM =
  /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b(?:[0-9a-f]{64}|[0-9a-f]{32}|[0-9a-f]{26}|[0-9a-f]{16})\b|\b[0-9a-f]{2}\/[\w-]{24}(?=\/)|(?<=\/join\/)\w{24}|[0-9a-f]{2}[\w-]{24}(?=\.png)/g;

/** Random values of these fields have no form by which they are found. */
const MADE_UP: Readonly<Record<string, unknown>> = {
  application_server_key:
    'BEl62iUYgUivxIkv69yViEuiBIa-Ib9-SkvMeAtA3LFgDzkrxZJjSgSnfckjBJuBkr3qBUYIHBQFLXYp5Nksh8U',
  challenge: 'AZ3yq8pA0WFr1mJ2hE5xTg',
  secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
  otpauth_url:
    'otpauth://totp/Test:mel%40example.com?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Test',
  recovery_codes: ['k3m9p-x7qwd', 'h2vfa-9ubrt'],
  response:
    '{"id":"b1JkP5","rawId":"b1JkP5","type":"public-key","response":{"clientDataJSON":"…"}}',
};

/** Codes of apps are told from codes of refusals, which are words. */
const madeUpOf = (name: string, value: unknown): unknown =>
  name === 'code' && /^\d{6}$/.test(String(value)) ? '492731' : MADE_UP[name];

/** Returns a word of the same form that looks as random. */
function madeUp(word: string, index: number): string {
  const digits = createHash('sha256').update(String(index)).digest('hex');
  const kept = UUID.test(word) ? /[-/]/ : /\//;
  return Array.from(word, (character, at) =>
    kept.test(character) ? character : (digits[at] ?? '0'),
  ).join('');
}

const UUID = /^[0-9a-f]{8}-/;

const shortened = (text: string) =>
  text.length <= LENGTH_MAX ? text : `${text.slice(0, LENGTH_MAX)}…`;
