import { ApiError } from '@confab/client';

type Fields = Readonly<Record<string, unknown>>;

/** Makes a request with the cookie of the browser. Throws an `ApiError` for a refusal. */
export async function ask(method: string, path: string, params: Fields = {}): Promise<Fields> {
  const rest = { ...params };
  const address = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = encodeURIComponent(String(rest[name]));
    delete rest[name];
    return value;
  });
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(rest)) {
    if (value !== undefined)
      form.set(name, typeof value === 'string' ? value : JSON.stringify(value));
  }
  const isQuery = method === 'GET';
  const reply = await fetch(`/api/v1${address}${isQuery ? `?${form}` : ''}`, {
    method,
    ...(isQuery ? {} : { body: form }),
  });
  const fields = (await reply.json()) as Fields;
  if (fields['result'] !== 'success') throw new ApiError(reply.status, fields);
  return fields;
}
