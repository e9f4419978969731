import { createRequire } from 'node:module';
import { join } from 'node:path';

// A server of S3-compatible storage on a free port, which it prints. It is installed where the clients are.
const [installed, directory] = process.argv.slice(2);
const S3rver = createRequire(join(installed, 'package.json'))('s3rver');

const server = new S3rver({
  address: '127.0.0.1',
  port: 0,
  silent: true,
  directory,
  configureBuckets: [{ name: 'backups' }],
});
const { port } = await server.run();
process.stdout.write(`${JSON.stringify({ port })}\n`);
