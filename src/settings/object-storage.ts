import { z } from 'zod';
import { ConfigError, type Environment, orNull, variable } from './reading.ts';

export function s3Settings() {
  const text = (name: string) => variable(name, orNull(z.string()));
  const [readRegion, readEndpoint] = [text('CONFAB_S3_REGION'), text('CONFAB_S3_ENDPOINT')];
  const readId = text('CONFAB_S3_ACCESS_KEY_ID');
  const readSecret = text('CONFAB_S3_SECRET_ACCESS_KEY');
  const readSecretFile = text('CONFAB_S3_SECRET_ACCESS_KEY_FILE');
  const readAuthorities = text('CONFAB_S3_CA');
  return (env: Environment) => {
    const region = readRegion(env) ?? 'us-east-1';
    const endpoint = readEndpoint(env) ?? `https://s3.${region}.amazonaws.com`;
    if (!/^https?:\/\//.test(endpoint) || !URL.canParse(endpoint)) {
      throw new ConfigError('CONFAB_S3_ENDPOINT is not a URL of http or https');
    }
    return Object.freeze({
      endpoint,
      region,
      accessKeyId: readId(env),
      secretAccessKey: readSecret(env),
      /** The file of the secret key; null: the key is in the setting above. */
      secretAccessKeyFile: readSecretFile(env),
      /** The file of the authorities that vouch for the service; null: those of Node. */
      authoritiesFile: readAuthorities(env),
    });
  };
}
