/** Tests whether mails leave the server; else they are written into a folder. */
export const hasMailService = ({ smtpUrl }: { readonly smtpUrl: string | null }): boolean =>
  smtpUrl !== null;

/** The settings by which devices are reached. */
interface PushSettings {
  readonly pushBouncerUrl: string;
  readonly hasWebPush: boolean;
  readonly apns: object | null;
  readonly fcm: object | null;
}

/** Tests for a push bouncer, which alone reads the registrations of devices with a key. */
export const hasPushBouncer = ({ pushBouncerUrl }: Pick<PushSettings, 'pushBouncerUrl'>) =>
  pushBouncerUrl !== '';

/** Tests whether the server itself sends to devices of a kind, past any bouncer. */
export const sendsItself = (settings: PushSettings, kind: 'fcm' | 'apns' | 'web'): boolean =>
  kind === 'web' ? settings.hasWebPush : settings[kind] !== null;

/** Tests whether telephones can be reached. */
export const hasPhoneService = (settings: PushSettings): boolean =>
  hasPushBouncer(settings) || settings.apns !== null || settings.fcm !== null;

/** Tests whether any device can be reached, browsers among them. */
export const hasPushService = (settings: PushSettings): boolean =>
  hasPhoneService(settings) || settings.hasWebPush;
