/** The parts of an OpenAPI document that types are made of. */
interface Described {
  readonly paths: object;
  readonly components: { readonly schemas: object };
}

export function apiText(document: Described): string;
