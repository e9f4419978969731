import { realmState } from '../../../domain/rules/realm/realm-state.ts';
import { SERVER_SUPPORTED_PERMISSION_SETTINGS } from '../../../domain/wire/settings/permission-settings.ts';
import type { RealmSettings } from '../../../domain/wire/settings/realm-settings.ts';
import { hasPhoneService } from '../../../settings/services.ts';
import type { Site } from '../../access/caller.ts';
import { shown } from '../../access/group-settings.ts';
import { type Reads, realmSettings } from '../../access/groups.ts';
import * as realms from '../../access/realms.ts';

/** Returns the fetch type `realm`: limits, server facts and settings. */
export function realmSnapshot(tx: Reads, site: Site): Record<string, unknown> {
  const realm = realms.existing(tx);
  return realmState({
    realm: { ...realm, url: site.url, settings: settingsAsShown(tx) },
    server: {
      generation: site.serverStartedAt,
      pushNotificationsEnabled: hasPhoneService(site.settings),
      webPublicEnabled: site.settings.isWebPublic,
      showsPreviews: site.settings.showsPreviews,
      maxFileUploadMib: site.settings.maxUploadMib,
    },
  });
}

/** Returns the settings; permissions only name active accounts. */
function settingsAsShown(tx: Reads): RealmSettings {
  const settings = realmSettings(tx);
  const permissions = PERMISSIONS.map((name) => [name, shown(tx, settings[name])]);
  return { ...settings, ...Object.fromEntries(permissions) };
}

// These are the names of the table.
const PERMISSIONS = Object.keys(
  SERVER_SUPPORTED_PERMISSION_SETTINGS.realm,
) as (keyof typeof SERVER_SUPPORTED_PERMISSION_SETTINGS.realm)[];
