interface TypeOptions {
  readonly isSent?: boolean;
  readonly indent?: string;
}

export function typeText(schema: object, options?: TypeOptions): string;
export function typeName(name: string): string;
