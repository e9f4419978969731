import { execFileSync } from 'node:child_process';

/** Tests that kill the server run it as a process of its own, and Node 20 runs no TypeScript: it is built first. */
export function setup() {
  execFileSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' });
}
