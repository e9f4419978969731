import { z } from 'zod';
import { type ErrorCode, STATUS_OF } from './errors.ts';

export interface ErrorDescription {
  /** The requests that are refused with this code. */
  readonly when: string;
  /** Fields of the body besides `result`, `msg` and `code`. */
  readonly fields: Readonly<Record<string, z.ZodType>>;
  /** Statuses that occur besides the usual one. */
  readonly otherStatuses?: readonly number[];
}

export const statusesOf = (code: ErrorCode): readonly number[] => [
  STATUS_OF[code],
  ...(ERROR_FIELDS[code].otherStatuses ?? []),
];

const names = z.array(z.string());

/** A use of a group that prevents its deactivation (reference/endpoints.md 1.11). */
const groupObjection = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('realm'), settings: names }),
  z.strictObject({ type: z.literal('channel'), channel_id: z.int(), settings: names }),
  z.strictObject({ type: z.literal('user_group'), group_id: z.int(), settings: names }),
  z.strictObject({ type: z.literal('subgroup'), supergroup_ids: z.array(z.int()) }),
]);

/**
 * Describes every code of `errors.ts`, for the documents and for the tests, which allow no other
 * field.
 */
export const ERROR_FIELDS: Readonly<Record<ErrorCode, ErrorDescription>> = {
  BAD_REQUEST: {
    when: 'The request cannot be carried out as it stands; `msg` says why',
    otherStatuses: [403, 404],
    fields: {
      parameters: z.string().optional().describe('Those that exclude each other, by commas'),
      errors: z
        .record(z.string(), z.array(z.string()))
        .optional()
        .describe('Of a linkifier: what is wrong, by field; `__all__` for the whole'),
    },
  },
  SECOND_STEP_REQUIRED: {
    when: 'The password is right, and the account has a second step',
    fields: {
      second_step_methods: z
        .array(z.enum(['app', 'passkey', 'recovery_code']))
        .describe('Ways of passing it; a passkey logs in by `POST /sessions/passkey`'),
    },
  },
  SECOND_STEP_FAILED: { when: 'A code or a passkey is wrong, or was used already', fields: {} },
  SECOND_STEP_LOCKED: {
    when: 'There were too many wrong codes: the password has to be reset',
    fields: {},
  },
  SECOND_STEP_MISSING: {
    when: 'The organization requires a second step, and the account has none: it may add one, and nothing else',
    fields: {},
  },
  BAD_IMAGE: { when: 'What was uploaded is no image that can be read', fields: {} },
  BAD_NARROW: {
    when: 'A narrow has an operator or an operand that does not exist',
    fields: { desc: z.string() },
  },
  INVITATION_FAILED: {
    when: 'Some addresses, or all of them, got no invitation',
    fields: {
      errors: z
        .array(z.tuple([z.string(), z.string(), z.boolean()]))
        .describe('Address, reason, and whether it is that of a deactivated account'),
      sent_invitations: z.boolean().describe('Whether the other addresses were invited'),
      daily_limit_reached: z.boolean(),
      license_limit_reached: z.literal(false),
    },
  },
  BAD_EVENT_QUEUE_ID: {
    when: 'The queue is unknown, has expired or belongs to somebody else: register again',
    fields: { queue_id: z.string() },
  },
  REQUEST_VARIABLE_MISSING: {
    when: 'A required parameter is missing',
    fields: { var_name: z.string() },
  },
  REQUEST_VARIABLE_INVALID: {
    when: 'A parameter has a value that it cannot have',
    fields: { var_name: z.string(), bad_value: z.union([z.string(), z.number()]) },
  },
  REQUEST_CONFUSING_VAR: {
    when: 'A parameter is given under both of its names',
    fields: { var_name1: z.string(), var_name2: z.string() },
  },
  STREAM_DOES_NOT_EXIST: {
    when: 'The channel does not exist, or is not for you to know of',
    fields: { stream: z.string().optional(), stream_id: z.int().optional() },
  },
  STREAM_WILDCARD_MENTION_NOT_ALLOWED: {
    when: 'Mentioning a whole channel of this size is not permitted',
    fields: {},
  },
  TOPIC_WILDCARD_MENTION_NOT_ALLOWED: {
    when: 'Mentioning a topic of so many participants is not permitted',
    fields: {},
  },
  MOVE_MESSAGES_TIME_LIMIT_EXCEEDED: {
    when: 'Some of the messages of the topic are too old to be moved',
    fields: {
      first_message_id_allowed_to_move: z.int().nullable(),
      total_messages_in_topic: z.int(),
      total_messages_allowed_to_move: z.int(),
    },
  },
  EXPECTATION_MISMATCH: {
    when: 'What is to be changed is no longer what the request takes it for',
    fields: {},
  },
  REACTION_ALREADY_EXISTS: { when: 'You have reacted with this emoji already', fields: {} },
  REACTION_DOES_NOT_EXIST: { when: 'You have not reacted with this emoji', fields: {} },
  SYSTEM_GROUP_REQUIRED: {
    when: 'The setting takes no other groups than those of roles',
    fields: { setting_name: z.string() },
  },
  CANNOT_DEACTIVATE_GROUP_IN_USE: {
    when: 'Settings or other groups use the group',
    fields: { objections: z.array(groupObjection) },
  },
  CANNOT_DEACTIVATE_LAST_USER: {
    when: 'The organization would have no owner, or nobody, left',
    fields: { is_last_owner: z.boolean(), entity: z.string() },
  },
  CANNOT_ADMINISTER_CHANNEL: { when: 'You do not administer the channel', fields: {} },
  PUSH_SERVICE_NOT_CONFIGURED: { when: 'The server uses no push service', fields: {} },
  RESUMABLE_UPLOAD_REFUSED: {
    when: 'A request of a resumable upload cannot be carried out; the status says why, as in tus 1.0',
    otherStatuses: [410, 411, 412, 415, 423, 460],
    fields: {},
  },
  REALM_UPLOAD_QUOTA: {
    when: 'The files of the organization would take more space than it has',
    fields: {},
  },
  INVALID_PUSH_DEVICE_TOKEN: { when: 'No such device is registered', fields: {} },
  UNAUTHORIZED_PRINCIPAL: { when: 'Only another role may do this', fields: {} },
  INVALID_JSON: { when: 'The body, or what stands for it, is not JSON', fields: {} },
  ANOMALOUS_WEBHOOK_PAYLOAD: {
    when: 'The payload is not one of the service whose URL it came to',
    fields: { webhook_name: z.string() },
  },
  MISSING_HTTP_EVENT_HEADER: {
    when: 'The service did not say by its header what has happened',
    fields: { header: z.string() },
  },
  UNSUPPORTED_WEBHOOK_EVENT_TYPE: {
    when: 'Nothing is said of such an event; `result` is `success`, and nothing was sent',
    fields: { webhook_name: z.string(), event_type: z.string() },
  },
  INVALID_API_KEY: { when: 'The key in the URL is nobody’s', fields: {} },
  UNAUTHORIZED: { when: 'The credentials are missing or not right', fields: {} },
  AUTHENTICATION_FAILED: { when: 'The name or the password is not right', fields: {} },
  USER_DEACTIVATED: { when: 'The account is deactivated', fields: {} },
  REALM_DEACTIVATED: { when: 'The organization is deactivated', fields: {} },
  PASSWORD_AUTH_DISABLED: { when: 'The organization allows no passwords', fields: {} },
  NOT_FOUND: { when: 'There is nothing at this path', fields: {} },
  NONEXISTENT_SUBDOMAIN: { when: 'The host names no organization', fields: {} },
  METHOD_NOT_ALLOWED: {
    when: 'The path has no such method; the body has no `code`',
    fields: { allowed_methods: z.array(z.string()) },
  },
  PAYLOAD_TOO_LARGE: { when: 'The body of the request is too large', fields: {} },
  HEADERS_TOO_LARGE: { when: 'The head of the request is too large', fields: {} },
  RATE_LIMIT_HIT: {
    when: 'Too many requests: wait',
    fields: { 'retry-after': z.number().describe('Seconds') },
  },
  REALM_NOT_SERVED: {
    when: "The organization's data is damaged, and its server serves the others",
    fields: {},
  },
  STORAGE_FULL: {
    when: 'The disk of the server is nearly full: reading, event queues, logging in and deleting go on',
    fields: {},
  },
  FILES_AWAY: {
    when: 'The storage of uploaded files cannot be reached: try again in a moment',
    fields: {},
  },
  DIRECTORY_AWAY: {
    when: 'A directory that people log in with cannot be asked, so that nobody can tell whether the password is right: try again later',
    fields: { 'retry-after': z.number().describe('Seconds') },
  },
  SERVER_STOPPING: { when: 'The server restarts: try again in a moment', fields: {} },
};
