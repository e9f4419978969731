import type { ServerSettings } from '../../config.ts';
import type { HttpReply } from '../answers/http-reply.ts';
import type { BuiltPage } from './built-page.ts';

/**
 * Returns the headers of the document of the web client. Only files of this server run or are shown
 * in it, text never becomes markup, no other page may frame it or reach into it, and it asks for
 * nothing of the device that it does not use.
 */
export const documentHeaders = (
  page: Pick<BuiltPage, 'style' | 'scripts'>,
  settings: Pick<ServerSettings, 'gravatarUrl'>,
): NonNullable<HttpReply['headers']> => [
  ['Content-Security-Policy', policyWith(settings.gravatarUrl)],
  ['Cross-Origin-Opener-Policy', 'same-origin'],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
  ['Permissions-Policy', PERMISSIONS],
  ['Referrer-Policy', 'same-origin'],
  ['X-Frame-Options', 'DENY'],
  ['Link', linksTo(page)],
];

/**
 * Builds the policy. Pictures of other sites come by way of this server (`/external_content/`), but
 * the avatars of people who have uploaded none are where the operator has said. A picture that is
 * being uploaded is shown from the memory of the page, as `blob:`.
 */
const policyWith = (avatars: string | null) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src 'self' blob: data:${avatars === null ? '' : ` ${new URL(avatars).origin}`}`,
    "media-src 'self'",
    "connect-src 'self'",
    "font-src 'self'",
    "manifest-src 'self'",
    "worker-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    // Browsers without `setHTML` parse messages by the first policy (web/app), the second gives the
    // address of the service worker, and no other may be made.
    'trusted-types confab-message confab-worker',
  ].join('; ');

const PERMISSIONS = [
  'accelerometer',
  'camera',
  'display-capture',
  'geolocation',
  'gyroscope',
  'magnetometer',
  'microphone',
  'midi',
  'payment',
  'usb',
]
  .map((feature) => `${feature}=()`)
  .join(', ');

/** Lets the browser ask for the files before it has read the document. */
const linksTo = ({ style, scripts }: Pick<BuiltPage, 'style' | 'scripts'>) =>
  [
    `</${style}>; rel=preload; as=style`,
    ...scripts.map((script) => `</${script}>; rel=modulepreload`),
  ].join(', ');
