import { app } from '../store/app.ts';

/** The server may say another interval. */
const PING_SECONDS = 60;
/** Without a key or a movement for so long, one is away. */
const IDLE_MS = 140_000;

/** Tells the server whether somebody is here, while an account is open. */
export function openPresence(): void {
  let usedAtMs = Date.now();
  for (const name of ['pointermove', 'pointerdown', 'keydown', 'wheel', 'focus']) {
    addEventListener(
      name,
      () => {
        usedAtMs = Date.now();
      },
      { passive: true },
    );
  }
  const ping = () => {
    const isActive = !document.hidden && Date.now() - usedAtMs < IDLE_MS;
    const params = { status: isActive ? 'active' : 'idle', ping_only: true } as const;
    // The next one says it as well.
    app.chat.call('POST', '/users/me/presence', params).catch(() => undefined);
  };
  let timer = 0;
  app.phase.subscribe((phase) => {
    clearInterval(timer);
    if (phase !== 'open') return;
    const { facts } = app.read();
    const seconds = facts.server_presence_ping_interval_seconds ?? PING_SECONDS;
    ping();
    timer = window.setInterval(ping, seconds * 1_000);
  });
}
