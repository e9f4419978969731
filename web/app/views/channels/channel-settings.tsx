import { useState } from 'preact/hooks';
import { Dialog } from '../../parts/dialog.tsx';
import { attempt } from '../../parts/form.tsx';
import { mayAdministerChannel } from '../../store/account/rights.ts';
import { app } from '../../store/app.ts';
import { privacyOf, subscribe, unsubscribe } from '../../store/channels/browse.ts';
import { mayJoin, mayRead } from '../../store/channels/permissions.ts';
import { navigate } from '../../store/navigation.ts';
import { ForAll } from './for-all.tsx';
import { ForYou } from './for-you.tsx';
import { Permissions } from './permissions.tsx';
import { SettingTabs } from './setting-tabs.tsx';
import { Subscribers } from './subscribers.tsx';
import './style.ts';

export interface ChannelSettingsProps {
  readonly channelId: number;
  readonly onClose: () => void;
}

type Tab = 'you' | 'people' | 'all' | 'permissions';

/** Shows what one may change of a channel, for oneself and for all. */
export function ChannelSettings({ channelId, onClose }: ChannelSettingsProps) {
  const state = app.read('channels', 'subscriptions', 'groups', 'own', 'realm');
  const [chosen, setChosen] = useState<Tab>('you');
  const channel = state.channels.get(channelId);
  if (channel === undefined || channel.is_archived) return null;
  const isSubscribed = state.subscriptions.has(channelId);
  const { name, subscriber_count: count } = channel;
  const tabs: (readonly [Tab, string])[] = [];
  if (isSubscribed) tabs.push(['you', 'For you']);
  if (mayRead(state, channelId)) tabs.push(['people', `People ${count}`]);
  if (mayAdministerChannel(state, channelId)) tabs.push(['all', 'For everybody']);
  tabs.push(['permissions', 'Who may do what']);
  const shown = tabs.find(([key]) => key === chosen)?.[0] ?? tabs[0]?.[0] ?? 'permissions';
  return (
    <Dialog title={`#${name}`} class="wide steady" onClose={onClose}>
      <Lead channelId={channelId} isSubscribed={isSubscribed} />
      <SettingTabs label="Parts of the settings" tabs={tabs} shown={shown} onShow={setChosen}>
        {shown === 'you' ? <ForYou channelId={channelId} /> : null}
        {shown === 'people' ? <Subscribers channelId={channelId} /> : null}
        {shown === 'all' ? <ForAll channelId={channelId} onClose={onClose} /> : null}
        {shown === 'permissions' ? <Permissions channelId={channelId} /> : null}
      </SettingTabs>
    </Dialog>
  );
}

const PRIVACY_WORDS = {
  'web-public': 'Open to everybody on the web',
  public: 'Open to all members',
  private: 'Private',
  secret: 'Private: new people do not see what was written before',
};

interface LeadProps {
  readonly channelId: number;
  readonly isSubscribed: boolean;
}

function Lead({ channelId, isSubscribed }: LeadProps) {
  const state = app.read('channels', 'folders', 'groups', 'own');
  const channel = state.channels.get(channelId);
  const [isSure, setSure] = useState(false);
  if (channel === undefined) return null;
  const { name, description, folder_id: folderId, subscriber_count: count } = channel;
  const folder = folderId === null ? undefined : state.folders.get(folderId);
  const facts = [
    PRIVACY_WORDS[privacyOf(channel)],
    count === 1 ? '1 subscriber' : `${count} subscribers`,
    ...(folder === undefined ? [] : [folder.name]),
  ];
  const mayComeBack = mayJoin(state, channelId);
  const leave = () => attempt(unsubscribe(name));
  return (
    <>
      {description === '' ? null : <p class="later-lead">{description}</p>}
      <div class="later-row channel-lead">
        <p class="muted">{facts.join(' · ')}</p>
        <div class="form-buttons">
          <button type="button" onClick={() => navigate({ view: 'topics', channelId })}>
            All topics
          </button>
          {isSubscribed ? (
            <button type="button" onClick={() => (mayComeBack ? leave() : setSure(true))}>
              Leave the channel
            </button>
          ) : mayComeBack ? (
            <button type="button" onClick={() => attempt(subscribe(name))}>
              Join the channel
            </button>
          ) : null}
        </div>
      </div>
      {isSure && isSubscribed ? (
        <div class="warning" role="alert">
          <p>This channel is private: only somebody who is in it can bring you back.</p>
          <div class="form-buttons">
            <button type="button" class="grave" onClick={leave}>
              Leave it all the same
            </button>
            <button type="button" onClick={() => setSure(false)}>
              Stay
            </button>
          </div>
        </div>
      ) : null}
    </>
  );
}
