import type { Realm } from '../../../actors/realm/realm-handle.ts';
import { IDEMPOTENCY_KEY_LENGTH_MAX } from '../../domain/limits/requests.ts';
import { programIn } from '../../domain/rules/texts/program.ts';
import * as errors from '../../domain/wire/errors.ts';
import type { Caller, Site } from '../../operations/access/caller.ts';
import { keyHashOf } from '../authenticate.ts';
import { clientName } from '../client-name.ts';
import type { Params, ParsedRequest, Posted, Values } from '../endpoint.ts';
import type { ApiRequest } from './request.ts';

const NOTHING = new Uint8Array();

/**
 * A request as an operation gets it. Fields that few endpoints read are computed on access: a
 * poll costs too little for them.
 */
export class LazyRequest implements ParsedRequest<Params> {
  readonly user: Caller['user'];
  readonly site: Site;
  readonly params: Values<Params>;
  private readonly request: ApiRequest;
  private readonly realm: Realm;

  constructor(
    { user, site, params }: Pick<ParsedRequest<Params>, 'user' | 'site' | 'params'>,
    request: ApiRequest,
    realm: Realm,
  ) {
    this.user = user;
    this.site = site;
    this.params = params;
    this.request = request;
    this.realm = realm;
  }

  get client(): string {
    return clientName(this.request);
  }

  get program(): string {
    const { client, version } = programIn(this.request.userAgent);
    return version === '' ? client : `${client}/${version}`;
  }

  get keyHash(): string | undefined {
    return keyHashOf(this.realm, this.request.authorization, this.site);
  }

  get now(): number {
    return this.realm.now();
  }

  get noteSearch() {
    return this.realm.noteSearch;
  }

  get posted(): Posted {
    const { text, bytes, webhookHeaders } = this.request;
    return {
      text: text?.(),
      body: bytes ?? NOTHING,
      header: (name) => webhookHeaders?.[name.toLowerCase()],
    };
  }

  get file(): Buffer | null {
    return this.request.file?.() ?? null;
  }

  get idempotencyKey(): string | null {
    return idempotencyKey(this.request);
  }

  /** Returns the same request with the account as it is now. */
  as(user: Caller['user']): LazyRequest {
    return new LazyRequest(
      { user, site: this.site, params: this.params },
      this.request,
      this.realm,
    );
  }
}

function idempotencyKey({ idempotencyKey: key }: ApiRequest): string | null {
  if (key.length > IDEMPOTENCY_KEY_LENGTH_MAX) {
    throw errors.badRequest(
      `The Idempotency-Key header is longer than ${IDEMPOTENCY_KEY_LENGTH_MAX} characters`,
    );
  }
  return key === '' ? null : key;
}
