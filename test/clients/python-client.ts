import { join } from 'node:path';
import { inject } from 'vitest';
import { type ClientProcess, type Line, startClient } from './client-process.ts';
import type { Served } from './served.ts';

/** One of the programs that came with the clients in Python. */
export const pythonProgram = (name: string) => join(inject('pythonClients') ?? '', name);

/** The Python library, logged in as somebody. */
export function startLibrary(server: Served, name: string): ClientProcess {
  const script = join(import.meta.dirname, 'python-library.py');
  return startClient(pythonProgram('python'), [script, server.credentialsFile(name)]);
}

/** Makes the client hear these events from here on. */
export async function listen(client: ClientProcess, eventTypes: readonly string[]) {
  await client.call('listen', eventTypes);
  await heard(client, 'registered');
}

export async function heard(
  client: ClientProcess,
  type: string,
  isWanted: (event: Line) => boolean = () => true,
): Promise<Line> {
  const line = await client.hear(({ event }) => event?.type === type && isWanted(event));
  return line['event'];
}

export const heardContent = (client: ClientProcess, content: string) =>
  heard(client, 'message', ({ message }) => message.content === content);
