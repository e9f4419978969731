import net from 'node:net';
import { addressOf } from './server-address.ts';

/** The fields that are read of the line by which a NATS server introduces itself to everybody. */
export interface Introduction {
  readonly server_name: string;
  readonly version: string;
}

const INTRODUCTION_MS = 1_500;
const INTRODUCTION_BYTES_MAX = 65_536;

/** Returns how servers introduce themselves, as far as they can be reached now. */
export async function introductionsOf(servers: readonly string[]): Promise<Introduction[]> {
  const found = await Promise.all(servers.map(introductionOf));
  return found.filter((one) => one !== undefined);
}

function introductionOf(server: string): Promise<Introduction | undefined> {
  const { host, port } = addressOf(server);
  return new Promise((resolve) => {
    let text = '';
    const socket = net.connect({ host, port });
    const end = (found?: Introduction) => {
      socket.destroy();
      resolve(found);
    };
    socket.setTimeout(INTRODUCTION_MS, () => end());
    socket.on('error', () => end());
    socket.on('close', () => end());
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
      const line = text.indexOf('\n');
      if (line >= 0) end(introductionIn(text.slice(0, line)));
      else if (text.length > INTRODUCTION_BYTES_MAX) end();
    });
  });
}

/** The line is `INFO {…}`, before any handshake of TLS. */
function introductionIn(line: string): Introduction | undefined {
  try {
    const { server_name: name, version } = JSON.parse(line.replace(/^INFO /, ''));
    return { server_name: String(name), version: String(version) };
  } catch {
    return undefined;
  }
}
