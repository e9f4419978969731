import { SERVER_SUPPORTED_PERMISSION_SETTINGS } from '../../domain/permission-settings.ts';
import type { RealmSettings } from '../../domain/realm-settings.ts';
import { realmState } from '../../domain/realm-state.ts';
import type { Place } from '../caller.ts';
import { shown } from '../group-settings.ts';
import { type Reads, realmSettings } from '../groups.ts';
import * as realms from '../realms.ts';

/** The fetch type `realm`: limits, server facts and settings. */
export function realmSnapshot(tx: Reads, place: Place): Record<string, unknown> {
  const realm = realms.existing(tx);
  return realmState({
    realm: { ...realm, url: place.url, settings: settingsAsShown(tx) },
    server: {
      generation: place.serverStartedAt,
      pushNotificationsEnabled: place.hasPushService,
      webPublicEnabled: place.isWebPublic,
      showsPreviews: place.showsPreviews,
      maxFileUploadMib: place.maxUploadMib,
    },
  });
}

/** Permissions name those alone whose accounts are in use. */
function settingsAsShown(tx: Reads): RealmSettings {
  const settings = realmSettings(tx);
  const permissions = PERMISSIONS.map((name) => [name, shown(tx, settings[name])]);
  return { ...settings, ...Object.fromEntries(permissions) };
}

// The names of the table.
const PERMISSIONS = Object.keys(
  SERVER_SUPPORTED_PERMISSION_SETTINGS.realm,
) as (keyof typeof SERVER_SUPPORTED_PERMISSION_SETTINGS.realm)[];
