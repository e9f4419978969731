import { ApiError } from './errors.ts';

/** Refuses a payload that the named service would not send. */
export const anomalousPayload = (webhookName: string, why: string) =>
  new ApiError(
    'ANOMALOUS_WEBHOOK_PAYLOAD',
    `Unable to parse request: Did ${webhookName} generate this event? ${why}`,
    { extra: { webhook_name: webhookName } },
  );

export const missingEventHeader = (header: string) =>
  new ApiError('MISSING_HTTP_EVENT_HEADER', `Missing the HTTP event header '${header}'`, {
    extra: { header },
  });

/**
 * The status counts as success for the service, so that it goes on with the events that are
 * supported.
 */
export const unsupportedEvent = (webhookName: string, eventType: string) =>
  new ApiError(
    'UNSUPPORTED_WEBHOOK_EVENT_TYPE',
    `The '${eventType}' event isn't currently supported by the ${webhookName} webhook; ignoring`,
    { extra: { webhook_name: webhookName, event_type: eventType } },
  );
