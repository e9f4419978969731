/**
 * The API level that clients choose their formats by (reference/events-and-register.md,
 * introduction).
 */
export const SERVICE_FEATURE_LEVEL = 420;

/** The version of package.json, which a test compares: nothing is read from disk for it. */
export const SERVICE_VERSION = '0.1.0';

/** "Equals the version when not a fork" (specification, GET /server_settings). */
export const SERVICE_MERGE_BASE = SERVICE_VERSION;
