import type { AnyActorRef, InspectionEvent } from 'xstate';
import { INSPECTED_EVENTS_MAX } from '../src/domain/limits/operator.ts';

/** One thing that an actor did, in words: a snapshot itself would keep everything that it names. */
export interface Inspected {
  /** UNIX milliseconds. */
  readonly at: number;
  /** The system's name, and within it the name of the actor. */
  readonly actor: string;
  readonly what: 'started' | 'got' | 'did' | 'is';
  /** The type of the event or action, or the state. */
  readonly detail: string;
}

/**
 * The newest inspection events of all actor systems of the process; off until somebody starts it.
 */
export interface Inspection {
  start(): void;
  /** Stops recording and forgets what was recorded. */
  stop(): void;
  /** Returns the newest events, the oldest of them first. */
  events(): readonly Inspected[];
  /** Inspects the system of a root actor, in place of the one that had this name before. */
  watch(name: string, root: AnyActorRef): void;
}

export function openInspection(now: () => number): Inspection {
  const roots = new Map<string, AnyActorRef>();
  const subscriptions = new Map<string, { unsubscribe(): void }>();
  let isRecording = false;
  let ring: Inspected[] = [];
  let next = 0;

  function note(inspected: Inspected) {
    ring[next] = inspected;
    next = (next + 1) % INSPECTED_EVENTS_MAX;
  }

  function subscribe(name: string, root: AnyActorRef) {
    subscriptions.get(name)?.unsubscribe();
    const observer = (event: InspectionEvent) => {
      const described = describedEvent(event);
      if (described === undefined) return;
      // The system only ever inspects whole actors.
      const { systemId, id } = event.actorRef as AnyActorRef & { readonly systemId?: string };
      const actor = event.actorRef === root ? name : `${name}, ${systemId ?? id}`;
      note({ at: now(), actor, ...described });
    };
    subscriptions.set(name, root.system.inspect(observer));
  }

  return {
    start() {
      if (isRecording) return;
      isRecording = true;
      for (const [name, root] of roots) subscribe(name, root);
    },
    stop() {
      isRecording = false;
      for (const { unsubscribe } of subscriptions.values()) unsubscribe();
      subscriptions.clear();
      ring = [];
      next = 0;
    },
    events: () => [...ring.slice(next), ...ring.slice(0, next)],
    watch(name, root) {
      roots.set(name, root);
      if (isRecording) subscribe(name, root);
    },
  };
}

/** The first event of each actor. Before it, while it is made, it has no name in its system yet. */
const INIT = 'xstate.init';

/**
 * Describes an event. Returns undefined for the steps of a transition, which the state after it
 * shows as well.
 */
function describedEvent(event: InspectionEvent): Pick<Inspected, 'what' | 'detail'> | undefined {
  if (event.type === '@xstate.event') {
    const { type } = event.event;
    return type === INIT ? { what: 'started', detail: '' } : { what: 'got', detail: type };
  }
  if (event.type === '@xstate.action') return { what: 'did', detail: event.action.type };
  if (event.type === '@xstate.snapshot') return { what: 'is', detail: stateIn(event.snapshot) };
  return undefined;
}

/** Returns the state of a machine, or the status of a promise. */
function stateIn(snapshot: object): string {
  const { value, status } = snapshot as { readonly value?: unknown; readonly status: string };
  return typeof value === 'string' ? value : JSON.stringify(value ?? status);
}
