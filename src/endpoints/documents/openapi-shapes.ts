import type { ErrorCode } from '../../domain/wire/errors.ts';
import type { EventType } from '../endpoint.ts';
import type { JsonSchema } from './json-schemas.ts';

// The part of OpenAPI 3.1 that confab's document uses.

export const FORM = 'application/x-www-form-urlencoded';
export const MULTIPART = 'multipart/form-data';
export const JSON_TYPE = 'application/json';

export interface OpenApiDocument extends Readonly<Record<string, unknown>> {
  readonly info: Readonly<Record<string, unknown>>;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly securitySchemes: Readonly<Record<string, unknown>>;
    readonly headers: Readonly<Record<string, Header>>;
    readonly schemas: Readonly<Record<string, JsonSchema>>;
  };
}

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  /** The accounts that may call it at all; the description names further conditions. */
  readonly 'x-permission': string;
  /** Types of the events that may follow. */
  readonly 'x-events': readonly EventType[];
  /** Codes of the refusals. */
  readonly 'x-errors': readonly ErrorCode[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {
    readonly required: boolean;
    readonly content: {
      readonly [FORM]?: Form;
      readonly [MULTIPART]?: Form;
      readonly [JSON_TYPE]?: Content;
    };
  };
  readonly responses: Readonly<Record<string, Response>>;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description?: string;
  readonly schema?: JsonSchema;
  readonly example?: unknown;
  readonly content?: Readonly<Record<typeof JSON_TYPE, Content>>;
  readonly 'x-aliases'?: readonly string[];
}

export interface Form {
  readonly schema: {
    readonly type: 'object';
    readonly properties: Readonly<Record<string, JsonSchema>>;
    readonly required?: readonly string[];
  };
  readonly encoding?: Readonly<Record<string, { readonly contentType: string }>>;
  readonly example?: Readonly<Record<string, unknown>>;
}

export interface Header {
  readonly description: string;
  readonly schema: JsonSchema;
}

export interface Response {
  readonly description: string;
  readonly headers?: Readonly<Record<string, JsonSchema>>;
  readonly content: Readonly<Record<typeof JSON_TYPE, Content>>;
}

export interface Content {
  readonly schema: JsonSchema;
  readonly example?: unknown;
}
