// Bounds of groups, each with its reason.

/**
 * Characters of a user group's name and description (the name: reference/endpoints.md section 3).
 */
export const GROUP_NAME_LENGTH_MAX = 100;
export const GROUP_DESCRIPTION_LENGTH_MAX = 1_024;
/**
 * Groups that a realm ever had, deactivated ones too: none is ever deleted, and each is in every
 * snapshot.
 */
export const GROUPS_PER_REALM_MAX = 10_000;
/**
 * Users or groups that one request adds to a group or removes from it: each is a row, within one
 * transaction.
 */
export const GROUP_PARTS_PER_REQUEST_MAX = 10_000;
/**
 * People and groups of the anonymous group of one setting: they are in every copy of the channel or
 * group.
 */
export const GROUP_SETTING_PARTS_MAX = 1_000;
/**
 * Direct messages to users whom one request adds to a group or removes: if there are more, none is
 * sent.
 */
export const GROUP_NOTICES_MAX = 1_000;
/**
 * Members who become full members in one operation: as many may have joined at once, by an import.
 */
export const FULL_MEMBERS_PER_STEP = 1_000;
/** Uses of a group that one refusal to deactivate it lists. */
export const GROUP_OBJECTIONS_MAX = 1_000;
