// Loaded into a gateway, it does on a signal what no gateway should do.
// biome-ignore lint/style/noProcessEnv: the test says it so.
const kind = process.env.FAULT;
if (process.argv[1]?.endsWith('gateway.js')) {
  process.on('SIGUSR2', () => {
    if (kind === 'throws') throw new Error('a fault of the test');
    if (kind === 'hangs') for (;;);
    const held = [];
    for (;;) held.push(new Array(100_000).fill(held.length));
  });
}
