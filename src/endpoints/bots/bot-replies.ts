import { z } from 'zod';

/** Channels that older integrations send to by themselves; none can be set here. */
export const noDefaults = {
  default_sending_stream: z.null(),
  default_events_register_stream: z.null(),
  default_all_public_streams: z.literal(false),
};
