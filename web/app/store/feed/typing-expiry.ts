import { app } from '../app.ts';

/** People who write and go away do not say that they have stopped: it ends by itself. */
export function openTypingExpiry(): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const plan = () => {
    clearTimeout(timer);
    if (app.phase.peek() !== 'open') return;
    const until = app.read().typing.nextExpiry();
    if (until === undefined) return;
    const expire = () => {
      if (app.phase.peek() === 'open' && app.read().typing.expire()) app.bump('typing');
      plan();
    };
    timer = setTimeout(expire, Math.max(0, until - Date.now()));
  };
  app.onEvents((events) => {
    if (events.some(({ type }) => type === 'typing')) plan();
  });
}
