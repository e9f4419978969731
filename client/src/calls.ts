import type { Calls, ErrorFields, Event, Events } from './generated/api.ts';

/** A method and a path, such as `GET /messages`. */
export type CallName = keyof Calls;

export type Method = CallName extends `${infer Name} ${string}` ? Name : never;

/** The paths that a method is known for; parameters in them stand in braces. */
export type PathOf<M extends Method> =
  Extract<CallName, `${M} ${string}`> extends `${M} ${infer Path}` ? Path : never;

type CallOf<M extends Method, P extends PathOf<M>> = `${M} ${P}` extends CallName
  ? Calls[`${M} ${P}`]
  : never;

/** Parameters of a call, be they of the path, the query or the form, as values. */
export type ParamsOf<M extends Method, P extends PathOf<M>> = CallOf<M, P>['params'];

/** The reply to a call that succeeds. */
export type ReplyOf<M extends Method, P extends PathOf<M>> = Success & CallOf<M, P>['reply'];

/** Arguments after the path: parameters may be left out where none is required. */
export type ParamsArgument<M extends Method, P extends PathOf<M>> =
  Record<string, never> extends ParamsOf<M, P>
    ? [params?: ParamsOf<M, P>]
    : [params: ParamsOf<M, P>];

/** Fields that every success has. */
export interface Success {
  result: 'success';
  msg: '';
  /** Names of parameters that mean nothing to this call. */
  ignored_parameters_unsupported?: string[];
}

export type ErrorCode = keyof ErrorFields;

/** The type of an event, or type and operation, such as `reaction add`. */
export type EventKind = keyof Events;

export type EventType = Event['type'];

/** Events of a type, of whatever operation. */
export type EventOf<Type extends EventType> = Extract<Event, { type: Type }>;

/** The reply to `POST /register`: the state that events change. */
export type Snapshot = Calls['POST /register']['reply'];
