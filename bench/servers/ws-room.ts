import { type RawData, WebSocket, WebSocketServer } from 'ws';

// A chat room as the manual of ws shows one: what is said goes to every other client. The frame is
// encoded once for all; nothing is stored, nobody is authenticated, nobody can resume.

let lastId = 0;
const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });

server.on('connection', (socket) => {
  socket.on('message', (data: RawData) => {
    const { local_id, content } = JSON.parse(String(data)) as Said;
    const id = ++lastId;
    socket.send(JSON.stringify({ type: 'said', local_id, id }));
    const message = { id, sender: 'sender', content, time: Date.now() };
    const frame = JSON.stringify({ type: 'message', message });
    for (const client of server.clients) {
      if (client !== socket && client.readyState === WebSocket.OPEN) client.send(frame);
    }
  });
  socket.send('{"type":"welcome"}');
});

interface Said {
  readonly local_id: number;
  readonly content: string;
}

server.on('listening', () => {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the room has no port');
  process.send?.({ port: address.port });
});
process.on('disconnect', () => process.exit());
