import { closeSync, openSync } from 'node:fs';
import type { Server, Socket } from 'node:net';

/**
 * How often free descriptors are checked; the library does not report connections that it could not
 * accept.
 */
const LOOK_MS = 500;
/**
 * Descriptors that have to be free before connections are accepted again: more than the listening
 * sockets take.
 */
const FREE_MIN = 32;
/**
 * Milliseconds in which a client that is turned away can send its request, so that it gets the
 * answer.
 */
const WORD_MS = 1_000;
/** Clients that are answered at once; beyond, connections are closed without an answer. */
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
  /** Listens again; rejects if it cannot. */
  open(): Promise<void>;
  /** Starts a server of Node that listens at the same place instead. */
  substitute(): Promise<Server>;
  /** Called when descriptors ran out, and when they are free again. */
  onShort(isShort: boolean): void;
}

/**
 * Checks for free file descriptors. Without one, the library would go on trying to accept, all the
 * time, and report nothing. Instead its listening sockets are closed, and new clients are answered
 * with 503 by means of their descriptors; open connections are served as before. Returns a function
 * that ends the checks.
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
      // The next check tries again.
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

/** Makes a server answer every client with 503. */
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
