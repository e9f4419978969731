// Calls the JavaScript library as a test asks, one JSON object a line: {id, call, args} in, {id, reply} and {event} out.
import { createReadStream } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const [folder, config] = process.argv.slice(2);
const say = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);
// The library reports failures there, and the lines of standard output are the test's.
// biome-ignore lint/suspicious/noConsole: so that it is not used for anything else.
globalThis.console = new console.Console(process.stderr);

const zulip = createRequire(join(folder, 'package.json'))('zulip-js');
const client = await zulip(JSON.parse(config));

const own = {
  listen: (eventTypes) => void client.callOnEachEvent((event) => say({ event }), eventTypes),
  // It has no call of its own for this; files go through the one for endpoints that it does not know.
  uploadFile: (path) =>
    client.callEndpoint('/user_uploads', 'POST', { file: createReadStream(path) }),
};

for await (const line of createInterface(process.stdin)) {
  const { id, call, args } = JSON.parse(line);
  const method = own[call] ?? call.split('.').reduce((part, name) => part[name], client);
  Promise.resolve(method(...args)).then(
    (reply) => say({ id, reply: reply ?? null }),
    (error) => say({ id, error: String(error) }),
  );
}
