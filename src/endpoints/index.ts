import { getSubscriptions } from './channels/get-subscriptions.ts';
import { subscribe } from './channels/subscribe.ts';
import { unsubscribe } from './channels/unsubscribe.ts';
import type { Endpoint } from './endpoint.ts';
import { deleteQueue } from './events/delete-queue.ts';
import { getEvents } from './events/get-events.ts';
import { registerQueue } from './events/register-queue.ts';
import { sendMessage } from './messages/send-message.ts';
import { fetchApiKey } from './server/fetch-api-key.ts';
import { getServerSettings } from './server/get-server-settings.ts';
import { getOwnUser } from './users/get-own-user.ts';
import { getUser } from './users/get-user.ts';
import { getUsers } from './users/get-users.ts';

/** Every endpoint, in the order of the specification. */
export const ENDPOINTS: readonly Endpoint[] = [
  sendMessage,
  subscribe,
  unsubscribe,
  getSubscriptions,
  registerQueue,
  getEvents,
  deleteQueue,
  getOwnUser,
  getUsers,
  getUser,
  getServerSettings,
  fetchApiKey,
];
