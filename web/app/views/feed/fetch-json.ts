/** Fetches a document of this server. */
export async function fetchJson(path: string): Promise<unknown> {
  const reply = await fetch(path);
  if (!reply.ok) throw new Error(`The server answered ${reply.status}`);
  return await reply.json();
}
