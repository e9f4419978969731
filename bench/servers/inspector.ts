import { WebSocket } from 'ws';

/** Reads the memory of a server; only the process itself can collect its garbage. */
export interface Inspector {
  readonly collectGarbage: () => Promise<void>;
  /** Bytes in the JavaScript heap and in buffers beside it: exact after a collection. */
  readonly heapBytes: () => Promise<number>;
}

/** Speaks the protocol of Node's inspector. */
export async function openInspector(url: string | undefined): Promise<Inspector> {
  if (url === undefined) throw new Error('the server has no inspector');
  const socket = new WebSocket(url);
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  const waiting = new Map<number, (result: unknown) => void>();
  let count = 0;
  socket.on('message', (data) => {
    const { id, result } = JSON.parse(String(data)) as { id: number; result: unknown };
    waiting.get(id)?.(result);
    waiting.delete(id);
  });
  const call = (method: string, params: object = {}): Promise<unknown> => {
    const id = ++count;
    socket.send(JSON.stringify({ id, method, params }));
    return new Promise((resolve) => waiting.set(id, resolve));
  };
  const expression = '(({heapUsed, external}) => heapUsed + external)(process.memoryUsage())';
  return {
    collectGarbage: async () => void (await call('HeapProfiler.collectGarbage')),
    heapBytes: async () => {
      // The protocol answers an evaluation with its value inside `result`.
      const { result } = (await call('Runtime.evaluate', { expression })) as {
        result: { value: number };
      };
      return result.value;
    },
  };
}
