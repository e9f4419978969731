import { createServer } from 'node:http';
import { Server } from 'socket.io';

// A chat room as the manual of Socket.IO shows one: what is said goes to everybody else in the
// room, and its sender is told by an acknowledgement. As it comes: transport ws, no compression.

const ROOM = 'room';
let lastId = 0;
const http = createServer();
const server = new Server(http);

server.on('connection', (socket) => {
  // With the adapter in memory this is done at once.
  void socket.join(ROOM);
  socket.on('say', (content: string, answer: (id: number) => void) => {
    const id = ++lastId;
    answer(id);
    socket.to(ROOM).emit('message', { id, sender: 'sender', content, time: Date.now() });
  });
});

http.listen(0, '127.0.0.1', () => {
  const address = http.address();
  if (address === null || typeof address === 'string') throw new Error('the room has no port');
  process.send?.({ port: address.port });
});
process.on('disconnect', () => process.exit());
