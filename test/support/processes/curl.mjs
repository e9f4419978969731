#!/usr/bin/env node
// What the lines that a start prints ask of curl, for machines that have Node alone.
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  options: {
    silent: { type: 'boolean', short: 's' },
    'show-error': { type: 'boolean', short: 'S' },
    user: { type: 'string', short: 'u' },
    request: { type: 'string', short: 'X' },
    data: { type: 'string', short: 'd', multiple: true },
    'data-urlencode': { type: 'string', multiple: true },
  },
  allowPositionals: true,
});

const fields = [
  ...(values.data ?? []),
  ...(values['data-urlencode'] ?? []).map((field) => {
    const end = field.indexOf('=');
    return `${field.slice(0, end)}=${encodeURIComponent(field.slice(end + 1))}`;
  }),
];
const reply = await fetch(positionals[0], {
  method: values.request ?? (fields.length > 0 ? 'POST' : 'GET'),
  headers: {
    authorization: `Basic ${Buffer.from(values.user ?? '').toString('base64')}`,
    ...(fields.length > 0 ? { 'content-type': 'application/x-www-form-urlencoded' } : {}),
  },
  ...(fields.length > 0 ? { body: fields.join('&') } : {}),
});
process.stdout.write(await reply.text());
