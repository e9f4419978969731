/** The options of a client that registers a queue (specification, "POST /register"). */
export interface QueueOptions {
  readonly applyMarkdown: boolean;
  readonly clientGravatar: boolean;
  readonly slimPresence: boolean;
  readonly allPublicChannels: boolean;
  /** Null stands for every type. */
  readonly eventTypes: readonly string[] | null;
  /** `[operator, operand]` pairs, as given. */
  readonly narrow: readonly (readonly [string, string])[];
  readonly capabilities: Readonly<Partial<Record<ClientCapability, boolean>>>;
  readonly idleSeconds: number;
}

/** Names of event types besides those that events carry (docs/decisions/0061). */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([['realm_user_groups', 'user_group']]);

/** Returns the types of the events that a client requests by these names, each once. */
export const eventTypesNamed = (names: readonly string[]): string[] => [
  ...new Set(names.flatMap((name) => [name, OTHER_NAMES.get(name) ?? name])),
];

export const CLIENT_CAPABILITIES = [
  'notification_settings_null',
  'bulk_message_deletion',
  'user_avatar_url_field_optional',
  'stream_typing_notifications',
  'user_settings_object',
  'linkifier_url_template',
  'user_list_incomplete',
  'include_deactivated_groups',
  'archived_channels',
  'empty_topic_name',
  'simplified_presence_events',
] as const;

export type ClientCapability = (typeof CLIENT_CAPABILITIES)[number];
