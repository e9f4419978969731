import type sodium from 'libsodium-wrappers';

let loaded: typeof sodium | undefined;

/** Loads the library with the first push: most deployments have no push service. */
async function library(): Promise<typeof sodium> {
  if (loaded === undefined) {
    const { default: found } = await import('libsodium-wrappers');
    await found.ready;
    loaded = found;
  }
  return loaded;
}

/**
 * Encrypts a text with a sealed box of libsodium. Only the holder of the private key can read it,
 * not even this server. Returns undefined if the key is invalid. Key and result are base64.
 */
export async function sealedFor(publicKey: string, plain: string): Promise<string | undefined> {
  const { crypto_box_seal } = await library();
  try {
    return Buffer.from(crypto_box_seal(plain, Buffer.from(publicKey, 'base64'))).toString('base64');
  } catch {
    // The key has another length, or is a point of low order.
    return undefined;
  }
}
