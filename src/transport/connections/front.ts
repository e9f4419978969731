import type { TemplatedApp } from '../library/sockets.ts';

/** The app that listens, which may leave its connections to another one. */
export interface Front {
  readonly app: TemplatedApp;
  /**
   * Has new connections served by another app. Returns false if the library cannot do that; then
   * the other app has to listen itself.
   */
  handTo(next: TemplatedApp): boolean;
}

/** Functions of newer builds of the library, which their types leave out. */
interface HandingApp extends TemplatedApp {
  getDescriptor(): number;
  addChildAppDescriptor(descriptor: number): void;
  removeChildAppDescriptor(descriptor: number): void;
}

/**
 * Puts an app in front of another one. The library reads a certificate only when it makes an app,
 * so each certificate has an app of its own; the sockets of the front go on listening, so that no
 * connection that waits to be accepted is lost.
 */
export function openFront(front: TemplatedApp, first: TemplatedApp): Front {
  if (!canHand(front) || !canHand(first)) return lone(first);
  let current = first;
  front.addChildAppDescriptor(first.getDescriptor());
  return {
    app: front,
    handTo(next) {
      if (!canHand(next)) return false;
      // The former goes first: the library counts through the apps, and would count too far.
      front.removeChildAppDescriptor(current.getDescriptor());
      front.addChildAppDescriptor(next.getDescriptor());
      current = next;
      return true;
    },
  };
}

/** Returns an app that serves its connections itself. */
export const lone = (app: TemplatedApp): Front => ({ app, handTo: () => false });

const canHand = (app: TemplatedApp): app is HandingApp => 'getDescriptor' in app;
