import { realmState } from '../../domain/realm-state.ts';
import type { Place } from '../caller.ts';
import { type Reads, realmSettings } from '../groups.ts';

/** The fetch type `realm`: limits, server facts and settings. */
export function realmSnapshot(tx: Reads, place: Place): Record<string, unknown> {
  const realm = tx.realm.get(['realm']);
  if (realm === undefined) throw new Error('the store holds no realm');
  return realmState({
    realm: { ...realm, url: place.url, settings: realmSettings(tx) },
    server: {
      generation: place.serverStartedAt,
      pushNotificationsEnabled: place.hasPushService,
      webPublicEnabled: place.isWebPublic,
      showsPreviews: place.showsPreviews,
      maxFileUploadMib: place.maxUploadMib,
    },
  });
}
