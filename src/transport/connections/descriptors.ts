import { closeSync, openSync } from 'node:fs';
import type { Server, Socket } from 'node:net';

/** How often it is looked at; the library says nothing of what it could not accept. */
const LOOK_MS = 500;
/** So many have to be free before connections are accepted again: more than the listening sockets take. */
const FREE_MIN = 32;
/** A client that is turned away has so long to say what it wants, so that the answer is not lost to it. */
const WORD_MS = 1_000;
/** Clients that are answered at once; beyond, a connection is closed without a word. */
const TURNED_AWAY_AT_ONCE = 8;

const BODY =
  '{"result":"error","msg":"The server has too many connections; try again in a moment","code":"SERVER_STOPPING"}\n';
const ANSWER = [
  'HTTP/1.1 503 Service Unavailable',
  'Content-Type: application/json',
  'Cache-Control: private, no-store',
  'Retry-After: 1',
  'Connection: close',
  `Content-Length: ${BODY.length}`,
  '',
  BODY,
].join('\r\n');

export interface Door {
  /** Closes the listening sockets, whose descriptors are the reserve. */
  shut(): void;
  /** Listens again; rejects when it cannot. */
  open(): Promise<void>;
  /** A server that is handed connections instead, and listens at the same place. */
  substitute(): Promise<Server>;
  /** Descriptors ran out, or are there again. */
  onShort(isShort: boolean): void;
}

/**
 * Notices that the process has no file descriptor left. The library would go on trying to accept, all the time, and tell
 * nobody. Instead its listening sockets are closed, and whoever connects is answered with 503, by what they leave free;
 * connections that are open are served as ever. What is returned ends it.
 */
export function watchDescriptors(door: Door): () => void {
  let substitute: Server | null = null;
  let isBusy = false;
  let isOver = false;

  async function look() {
    if (isBusy) return;
    isBusy = true;
    try {
      if (substitute === null && !areFree(1)) await turnAway();
      else if (substitute !== null && areFree(FREE_MIN)) await letIn(substitute);
    } catch {
      // Looked at again in a moment.
    }
    isBusy = false;
    if (isOver) substitute?.close();
  }

  async function turnAway() {
    door.onShort(true);
    door.shut();
    substitute = await door.substitute();
  }

  async function letIn(server: Server) {
    server.close();
    if (isOver) return;
    await door.open();
    substitute = null;
    if (isOver) return door.shut();
    door.onShort(false);
  }

  const timer = setInterval(() => void look(), LOOK_MS);
  timer.unref();
  return () => {
    isOver = true;
    clearInterval(timer);
    substitute?.close();
  };
}

/** Has a server answer whoever connects with 503. */
export function refuseAll(server: Server, connected: 'connection' | 'secureConnection'): Server {
  server.maxConnections = TURNED_AWAY_AT_ONCE;
  server.on(connected, (socket: Socket) => {
    const timer = setTimeout(() => socket.end(ANSWER), WORD_MS);
    socket.once('data', () => socket.end(ANSWER));
    socket.on('error', () => socket.destroy());
    socket.on('close', () => clearTimeout(timer));
    socket.on('end', () => socket.destroy());
  });
  return server;
}

function areFree(count: number): boolean {
  const opened: number[] = [];
  try {
    while (opened.length < count) opened.push(openSync('/dev/null', 'r'));
    return true;
  } catch {
    return false;
  } finally {
    for (const descriptor of opened) closeSync(descriptor);
  }
}
