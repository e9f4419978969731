import type sodium from 'libsodium-wrappers';

let loaded: typeof sodium | undefined;

/** Loaded with the first push: most deployments have no push service. */
async function library(): Promise<typeof sodium> {
  if (loaded === undefined) {
    const { default: found } = await import('libsodium-wrappers');
    await found.ready;
    loaded = found;
  }
  return loaded;
}

/**
 * Encrypts for whoever has the other half of the key, with libsodium's sealed boxes: nobody else
 * can read it, nor the server itself. Undefined for what is no such key. Both texts are base64.
 */
export async function sealedFor(publicKey: string, plain: string): Promise<string | undefined> {
  const { crypto_box_seal } = await library();
  try {
    return Buffer.from(crypto_box_seal(plain, Buffer.from(publicKey, 'base64'))).toString('base64');
  } catch {
    // Of another length, or a point with which everybody shares the same secret.
    return undefined;
  }
}
