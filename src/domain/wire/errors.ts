/**
 * Every refusal the service can give, but those of uploads (`upload-errors.ts`) and of webhooks
 * (`webhook-errors.ts`). A refusal is an `ApiError`: an HTTP status, a
 * code, a sentence for a person, and the extra fields of the error object (specification, "Errors";
 * reference/endpoints.md section 4).
 */
export class ApiError extends Error {
  readonly status: number;
  readonly code: ErrorCode;
  readonly extra: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, msg: string, options: { status?: number; extra?: object } = {}) {
    super(msg);
    this.name = 'ApiError';
    this.code = code;
    this.status = options.status ?? STATUS_OF[code];
    this.extra = { ...options.extra };
  }
}

/** The status that a code comes with, unless its refusal says otherwise. */
export const STATUS_OF = {
  BAD_REQUEST: 400,
  BAD_IMAGE: 400,
  BAD_NARROW: 400,
  BAD_EVENT_QUEUE_ID: 400,
  REQUEST_VARIABLE_MISSING: 400,
  REQUEST_VARIABLE_INVALID: 400,
  REQUEST_CONFUSING_VAR: 400,
  STREAM_DOES_NOT_EXIST: 400,
  STREAM_WILDCARD_MENTION_NOT_ALLOWED: 400,
  TOPIC_WILDCARD_MENTION_NOT_ALLOWED: 400,
  MOVE_MESSAGES_TIME_LIMIT_EXCEEDED: 400,
  EXPECTATION_MISMATCH: 400,
  REACTION_ALREADY_EXISTS: 400,
  REACTION_DOES_NOT_EXIST: 400,
  SYSTEM_GROUP_REQUIRED: 400,
  CANNOT_DEACTIVATE_GROUP_IN_USE: 400,
  CANNOT_ADMINISTER_CHANNEL: 400,
  CANNOT_DEACTIVATE_LAST_USER: 400,
  INVITATION_FAILED: 400,
  PUSH_SERVICE_NOT_CONFIGURED: 400,
  REALM_UPLOAD_QUOTA: 400,
  INVALID_PUSH_DEVICE_TOKEN: 400,
  UNAUTHORIZED_PRINCIPAL: 400,
  INVALID_JSON: 400,
  ANOMALOUS_WEBHOOK_PAYLOAD: 400,
  MISSING_HTTP_EVENT_HEADER: 400,
  UNSUPPORTED_WEBHOOK_EVENT_TYPE: 200,
  UNAUTHORIZED: 401,
  INVALID_API_KEY: 401,
  AUTHENTICATION_FAILED: 401,
  SECOND_STEP_REQUIRED: 401,
  SECOND_STEP_FAILED: 401,
  SECOND_STEP_LOCKED: 401,
  SECOND_STEP_MISSING: 401,
  USER_DEACTIVATED: 401,
  REALM_DEACTIVATED: 401,
  PASSWORD_AUTH_DISABLED: 401,
  NOT_FOUND: 404,
  NONEXISTENT_SUBDOMAIN: 404,
  METHOD_NOT_ALLOWED: 405,
  RESUMABLE_UPLOAD_REFUSED: 409,
  PAYLOAD_TOO_LARGE: 413,
  HEADERS_TOO_LARGE: 431,
  RATE_LIMIT_HIT: 429,
  SERVER_STOPPING: 503,
  STORAGE_FULL: 507,
  REALM_NOT_SERVED: 503,
  FILES_AWAY: 503,
  DIRECTORY_AWAY: 503,
} as const satisfies Record<string, number>;

export type ErrorCode = keyof typeof STATUS_OF;

/** The general refusal: any request that cannot be carried out as it stands. */
export const badRequest = (msg: string, extra: object = {}) =>
  new ApiError('BAD_REQUEST', msg, { extra });

export const missingParameter = (name: string) =>
  new ApiError('REQUEST_VARIABLE_MISSING', `Missing '${name}' argument`, {
    extra: { var_name: name },
  });

export const confusingParameters = (first: string, second: string) =>
  new ApiError(
    'REQUEST_CONFUSING_VAR',
    `Can't decide between '${first}' and '${second}' arguments`,
    {
      extra: { var_name1: first, var_name2: second },
    },
  );

export const invalidVariable = (name: string, value: string | number) =>
  new ApiError('REQUEST_VARIABLE_INVALID', `Bad value for '${name}': ${value}`, {
    extra: { var_name: name, bad_value: value },
  });

export const incompatibleParameters = (names: readonly string[]) =>
  new ApiError('BAD_REQUEST', `Unsupported parameter combination: ${names.join(', ')}`, {
    extra: { parameters: names.join(', ') },
  });

export const notForAnonymous = (name: string) =>
  badRequest(`Invalid '${name}' parameter for anonymous request`);

/**
 * `msg` starts as clients expect it: some register again only because of this text (decision 0084).
 */
export const badEventQueueId = (queueId: string) =>
  new ApiError('BAD_EVENT_QUEUE_ID', `Bad event queue id: ${queueId}`, {
    extra: { queue_id: queueId },
  });

export const eventAlreadyPruned = (eventId: number) =>
  badRequest(`An event newer than ${eventId} has already been pruned!`);

export const eventNotInQueue = (eventId: number) =>
  badRequest(`Event ${eventId} was not in this queue`);

export const badNarrow = (desc: string) =>
  new ApiError('BAD_NARROW', `Invalid narrow operator: ${desc}`, { extra: { desc } });

export const channelDoesNotExist = (channel: { stream: string } | { stream_id: number }) =>
  new ApiError(
    'STREAM_DOES_NOT_EXIST',
    'stream' in channel
      ? `Channel '${channel.stream}' does not exist`
      : `Channel with ID '${channel.stream_id}' does not exist`,
    { extra: channel },
  );

export const channelWildcardNotAllowed = () =>
  new ApiError(
    'STREAM_WILDCARD_MENTION_NOT_ALLOWED',
    'You do not have permission to use channel wildcard mentions in this channel.',
  );

export const topicWildcardNotAllowed = () =>
  new ApiError(
    'TOPIC_WILDCARD_MENTION_NOT_ALLOWED',
    'You do not have permission to use topic wildcard mentions in this topic.',
  );

export const moveTimeLimitExceeded = (extra: {
  readonly first_message_id_allowed_to_move: number | null;
  readonly total_messages_in_topic: number;
  readonly total_messages_allowed_to_move: number;
}) =>
  new ApiError(
    'MOVE_MESSAGES_TIME_LIMIT_EXCEEDED',
    'You only have permission to move the ' +
      `${extra.total_messages_allowed_to_move}/${extra.total_messages_in_topic} most recent ` +
      'messages in this topic.',
    { extra },
  );

export const reactionAlreadyExists = () =>
  new ApiError('REACTION_ALREADY_EXISTS', 'Reaction already exists.');
export const reactionDoesNotExist = () =>
  new ApiError('REACTION_DOES_NOT_EXIST', "Reaction doesn't exist.");

/** Refuses terms that cannot be combined. */
export const badNarrowCombination = (desc: string) =>
  new ApiError('BAD_NARROW', `Invalid narrow operator combination: ${desc}`, { extra: { desc } });

/**
 * Refuses a change because the client's expected value is not, or no longer, the stored one;
 * nothing was changed.
 */
export const expectationMismatch = () =>
  new ApiError('EXPECTATION_MISMATCH', "'old' value does not match the expected value.");

export const systemGroupRequired = (settingName: string) =>
  new ApiError('SYSTEM_GROUP_REQUIRED', `'${settingName}' must be a system user group.`, {
    extra: { setting_name: settingName },
  });

interface FailedInvitations {
  /**
   * The addresses that were not invited, each with the reason, and whether it belongs to a
   * deactivated account.
   */
  readonly errors: readonly (readonly [string, string, boolean])[];
  readonly hasSent: boolean;
  readonly isDailyLimitReached?: boolean;
}

export const invitationFailed = (
  msg: string,
  { errors, hasSent, isDailyLimitReached = false }: FailedInvitations,
) =>
  new ApiError('INVITATION_FAILED', msg, {
    extra: {
      errors,
      sent_invitations: hasSent,
      daily_limit_reached: isDailyLimitReached,
      license_limit_reached: false,
    },
  });

export const pushServiceNotConfigured = () =>
  new ApiError(
    'PUSH_SERVICE_NOT_CONFIGURED',
    'Server is not configured to use push notification service.',
  );

export const invalidPushDeviceToken = () =>
  new ApiError('INVALID_PUSH_DEVICE_TOKEN', 'Device not recognized');

export const navigationViewNotFound = () =>
  new ApiError('NOT_FOUND', 'Navigation view does not exist.');

/** Lists what is wrong with each field as `errors` (reference/endpoints.md 1.18). */
export const invalidLinkifier = (problems: Readonly<Record<string, readonly string[]>>) =>
  badRequest(Object.values(problems).flat()[0] ?? 'Invalid linkifier', { errors: problems });

/** A use of a group that prevents its deactivation (reference/endpoints.md 1.11). */
export type GroupObjection =
  | { readonly type: 'realm'; readonly settings: readonly string[] }
  | { readonly type: 'channel'; readonly channel_id: number; readonly settings: readonly string[] }
  | { readonly type: 'user_group'; readonly group_id: number; readonly settings: readonly string[] }
  | { readonly type: 'subgroup'; readonly supergroup_ids: readonly number[] };

export const groupInUse = (objections: readonly GroupObjection[]) =>
  new ApiError('CANNOT_DEACTIVATE_GROUP_IN_USE', 'Cannot deactivate user group in use.', {
    extra: { objections },
  });

export const cannotAdministerChannel = () =>
  new ApiError(
    'CANNOT_ADMINISTER_CHANNEL',
    'You do not have permission to administer this channel.',
  );
export const cannotDeactivateLastUser = (isLastOwner: boolean) => {
  const entity = isLastOwner ? 'organization owner' : 'user';
  return new ApiError('CANNOT_DEACTIVATE_LAST_USER', `Cannot deactivate the only ${entity}.`, {
    extra: { is_last_owner: isLastOwner, entity },
  });
};
export const invalidGroupId = (id: number) => badRequest(`Invalid user group ID: ${id}`);
export const unauthorizedPrincipal = (msg: string) => new ApiError('UNAUTHORIZED_PRINCIPAL', msg);
export const invalidUserId = (id: number) => badRequest(`Invalid user ID: ${id}`);
/** Refuses a user id among recipients; the text has no colon. */
export const invalidRecipientId = (id: number) => badRequest(`Invalid user ID ${id}`);
export const userIsDeactivated = () => badRequest('User is deactivated');
export const noSuchUser = () => badRequest('No such user');
export const invalidChannelId = () => badRequest('Invalid channel ID');
export const noSuchTopic = (topic: string) => badRequest(`No such topic '${topic.slice(0, 100)}'`);
export const noSuchScheduledMessage = () =>
  new ApiError('BAD_REQUEST', 'Scheduled message does not exist', { status: 404 });
export const noSuchDraft = () =>
  new ApiError('BAD_REQUEST', 'Draft does not exist', { status: 404 });
export const noSuchSavedSnippet = () =>
  new ApiError('BAD_REQUEST', 'Saved snippet does not exist.', { status: 404 });
export const invalidChannelFolderId = () => badRequest('Invalid channel folder ID');
export const noSuchReminder = () =>
  new ApiError('BAD_REQUEST', 'Reminder does not exist', { status: 404 });
export const noSuchFile = () =>
  new ApiError('NOT_FOUND', 'This file does not exist or has been deleted.');
export const fileNotReadable = () =>
  new ApiError('BAD_REQUEST', 'You are not authorized to view this file.', { status: 403 });
export const badImage = () =>
  new ApiError('BAD_IMAGE', 'Could not decode image; did you upload an image file?');
export const noSuchEmoji = (name: string) =>
  new ApiError('BAD_REQUEST', `Emoji '${name}' does not exist`, { status: 404 });
export const noSuchSession = () => badRequest('No such session');
export const noSuchPushDevice = () => badRequest('No such push device');
export const noSuchApiKey = () => badRequest('No such API key');
export const invalidAttachment = () => badRequest('Invalid attachment');
export const invalidMessage = () => badRequest('Invalid message(s)');

export const unauthorized = (msg = 'Not logged in: API authentication or user session required') =>
  new ApiError('UNAUTHORIZED', msg);

export const sessionEnded = () => unauthorized('The session has ended; log in again');

/** Refuses to mail a link for a password. */
export const noMailHere = () =>
  badRequest('This server sends no mails; ask its operator for a link to set a password');
export const noDemoLogIn = () => badRequest('Nobody of this id may log in here without a password');

/** Refuses a request that sets a cookie, which no page of the own host has sent. */
export const notFromOwnPage = () =>
  badRequest('Sessions are for pages of this server, over HTTP; programs use an API key');

/** Refuses a key in a URL, which comes without an address. */
export const invalidApiKey = () => new ApiError('INVALID_API_KEY', 'Invalid API key');

export const invalidJson = (why = 'Malformed JSON') => new ApiError('INVALID_JSON', why);

export const authenticationFailed = () =>
  new ApiError('AUTHENTICATION_FAILED', 'Your username or password is incorrect');
export const secondStepRequired = (methods: readonly string[]) => {
  const ways = [
    ...(methods.includes('app') ? ['enter a code of your app'] : []),
    ...(methods.includes('passkey') ? ['log in with a passkey'] : []),
    ...(methods.includes('recovery_code') ? ['enter a recovery code'] : []),
  ].join(', or ');
  return new ApiError('SECOND_STEP_REQUIRED', `${ways.slice(0, 1).toUpperCase()}${ways.slice(1)}`, {
    extra: { second_step_methods: methods },
  });
};
export const secondStepFailed = () =>
  new ApiError('SECOND_STEP_FAILED', 'This code is wrong, or was used already');
export const secondStepLocked = () =>
  new ApiError(
    'SECOND_STEP_LOCKED',
    'Too many wrong codes: set a new password by a link, or ask an administrator',
  );
export const secondStepMissing = () =>
  new ApiError(
    'SECOND_STEP_MISSING',
    'This organization requires a second step of all: add an app or a passkey first',
  );
export const userDeactivated = () => new ApiError('USER_DEACTIVATED', 'Account is deactivated');
export const realmDeactivated = () =>
  new ApiError('REALM_DEACTIVATED', 'This organization has been deactivated');
export const passwordAuthDisabled = () =>
  new ApiError(
    'PASSWORD_AUTH_DISABLED',
    'Password authentication is disabled in this organization',
  );

export const jwtNotEnabled = () =>
  badRequest('JWT authentication is not enabled for this organization');
export const noSummaries = () => badRequest('AI features are not enabled on this server.');
export const notInProduction = () => badRequest('Endpoint not available in production.');
export const notFound = (path: string) => new ApiError('NOT_FOUND', `There is nothing at ${path}`);
export const nonexistentSubdomain = () =>
  new ApiError('NONEXISTENT_SUBDOMAIN', 'Invalid subdomain');
export const methodNotAllowed = (allowed: readonly string[]) =>
  new ApiError('METHOD_NOT_ALLOWED', 'Method Not Allowed', {
    extra: { allowed_methods: allowed },
  });
export const payloadTooLarge = (bytesMax: number) =>
  new ApiError('PAYLOAD_TOO_LARGE', `The request body is larger than ${bytesMax} bytes`);
export const fieldTooLarge = (bytesMax: number) =>
  new ApiError('PAYLOAD_TOO_LARGE', `A field of the form is larger than ${bytesMax} bytes`);
export const headersTooLarge = (bytesMax: number) =>
  new ApiError('HEADERS_TOO_LARGE', `The request head is larger than ${bytesMax} bytes`);
export const serverStopping = () =>
  new ApiError('SERVER_STOPPING', 'The server is restarting; try again in a moment');
export const keyInAddress = () =>
  unauthorized(
    'An API key is not taken in the address of a file: GET /api/v1/user_uploads/… gives a link for a minute',
  );

/** Refuses a request of a page from another origin. */
export const foreignOrigin = () =>
  new ApiError('BAD_REQUEST', 'This origin may not connect', { status: 403 });

/** "taken, disallowed or weak: BR" (reference/endpoints.md 1.4). */
export const passwordTooWeak = () =>
  badRequest('The password is too weak: it is one of those that many people have');

export const realmNotServed = () =>
  new ApiError(
    'REALM_NOT_SERVED',
    'This organization is not served: its data is damaged, and the operator of the server was told',
  );
export const storageFull = () =>
  new ApiError(
    'STORAGE_FULL',
    'The disk of the server is nearly full: until there is space, it only reads and deletes',
  );
/** Refuses while the store of files does not answer; nothing was changed. */
export const filesAway = ({ cause }: { readonly cause?: unknown } = {}) =>
  Object.assign(
    new ApiError('FILES_AWAY', 'The storage of files cannot be reached; try again in a moment'),
    { cause },
  );
/** Refuses a log-in while the directory that may have the name cannot be asked. */
export const directoryAway = (directory: string, why: string) =>
  new ApiError(
    'DIRECTORY_AWAY',
    `The directory (${directory}) does not answer as it should. ${why}`,
    {
      extra: { 'retry-after': DIRECTORY_RETRY_SECONDS },
    },
  );
/** A directory that restarts is back by then, and those who wait ask it no more often. */
const DIRECTORY_RETRY_SECONDS = 10;

export const rateLimitHit = (retryAfterSeconds: number) =>
  new ApiError('RATE_LIMIT_HIT', 'API usage exceeded rate limit', {
    extra: { 'retry-after': retryAfterSeconds },
  });
