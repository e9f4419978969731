import { jsonOf } from '../../domain/wire/encoded-list.ts';
import type { Answer, ApiRequest, EncodedSuccess } from '../../endpoints/dispatch/request.ts';
import type { Body, IncomingBody, JsonDocument, WaitingPlace } from '../../endpoints/endpoint.ts';
import type { Consumer } from '../../events/delivery.ts';
import { FIRST_ENDPOINT } from '../../metrics/recorders.ts';
import { statusLine, successBody } from '../answers/reply.ts';
import type { HttpExchange } from '../exchange.ts';
import { ParkedPoll } from '../long-poll.ts';
import { fail } from './failing.ts';
import type { HttpInput } from './http-input.ts';

interface AnswerInput {
  readonly isHead: boolean;
  readonly body: IncomingBody | null;
  /** The credentials of the caller, which stand for the account; empty without any. */
  readonly reader: string;
}

/** It is a class for the same reason as `HttpExchange`. */
export class HttpAnswer implements Answer {
  /** False for a HEAD, which does not wait: a parked answer is written with its body. */
  readonly canPark: boolean;
  readonly body: IncomingBody | null;
  private readonly exchange: HttpExchange;
  private readonly input: HttpInput;
  private readonly isHead: boolean;
  private readonly reader: string;
  /** The `Set-Cookie` header of a success; empty for none. */
  cookie = '';

  constructor(exchange: HttpExchange, input: HttpInput, { isHead, body, reader }: AnswerInput) {
    this.exchange = exchange;
    this.input = input;
    this.isHead = isHead;
    this.canPark = !isHead;
    this.body = body;
    this.reader = reader;
  }

  isOf(index: number) {
    this.exchange.endpoint = FIRST_ENDPOINT + index;
  }

  succeed(body: Body, ignored: readonly string[]) {
    const text = `${jsonOf(successBody(body, ignored))}\n`;
    const { exchange, input } = this;
    if (exchange.coding !== null && input.holdsSecret(exchange.endpoint - FIRST_ENDPOINT, body)) {
      exchange.coding = null;
    }
    this.write(text);
  }

  pass({ bytes, holdsSecret }: EncodedSuccess) {
    if (holdsSecret) this.exchange.coding = null;
    this.write(bytes);
  }

  private write(text: string | Uint8Array) {
    const { exchange } = this;
    // It is set only here: a parked poll keeps its exchange with all of its fields.
    exchange.reader = this.reader;
    if (this.cookie !== '') {
      const headers = [['Set-Cookie', this.cookie]] as const;
      exchange.end({ status: '200 OK', body: text, headers });
    } else if (this.isHead) exchange.end({ status: '200 OK', body: text, isHead: true });
    else exchange.endWithJson(text);
  }

  show({ bytes: body }: JsonDocument) {
    this.exchange.end({ status: '200 OK', body, isShared: true, isHead: this.isHead });
  }

  fail(error: unknown, request: ApiRequest) {
    fail(this.exchange, error, { request, input: this.input, isHead: this.isHead });
  }

  options(allowed: readonly string[]) {
    this.exchange.end({
      status: statusLine(204),
      headers: [['Allow', [...allowed, 'OPTIONS'].join(', ')]],
      body: '',
    });
  }

  isGone(): boolean {
    return !this.exchange.isOpen();
  }

  /** A connection has one answer at a time, so it never holds back. */
  holdsBack(): boolean {
    return false;
  }

  park(place: WaitingPlace): Consumer {
    return new ParkedPoll(this.exchange, place);
  }
}

export const WITHOUT_BODY: AnswerInput = { isHead: false, body: null, reader: '' };
