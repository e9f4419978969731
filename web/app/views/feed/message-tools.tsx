import { copy } from '../../net/clipboard.ts';
import { Icon, type IconName } from '../../parts/icon.tsx';
import { Menu } from '../../parts/menus/menu.tsx';
import type { MenuItem } from '../../parts/menus/menu-list.tsx';
import { remind } from '../../store/ahead/ahead.ts';
import { THUMBS_UP } from '../../store/feed/emoji.ts';
import { isResolved, type Message } from '../../store/feed/message.ts';
import { openPanel } from '../../store/panels.ts';
import { widgetOf } from '../../store/widgets/widget.ts';
import { attempt, type FeedScope, useFeed } from './context.ts';
import { linkTo } from './links.ts';
import '../../parts/style/beside-style.ts';

/** Buttons at a message that is pointed at, or that has the focus. */
export function MessageTools({ message }: { readonly message: Message }) {
  const scope = useFeed();
  const { store } = scope;
  const isOwn = message.sender_id === store.directory.ownId;
  return (
    <div class="tools" role="toolbar" aria-label="Acts on the message">
      <Tool
        label="React with 👍"
        onClick={() => attempt(scope, store.acts.react(message, THUMBS_UP))}
      >
        <span class="emoji">👍</span>
      </Tool>
      <IconTool
        icon="smile"
        label="React"
        onClick={() => {
          store.asking.value = { about: 'react', message };
        }}
      />
      {isArchived(message, scope) ? null : (
        <IconTool icon="reply" label="Reply" onClick={() => scope.reply?.(message)} />
      )}
      {isOwn && widgetOf(message) === null ? (
        <IconTool
          icon="edit"
          label="Edit"
          onClick={() => attempt(scope, store.acts.beginEdit(message.id))}
        />
      ) : null}
      <Menu label="More" items={itemsOf(message, scope)}>
        <Icon name="dots" />
      </Menu>
    </div>
  );
}

interface ToolProps {
  readonly label: string;
  readonly onClick: () => void;
}

const Tool = ({
  label,
  onClick,
  children,
}: ToolProps & { readonly children: preact.ComponentChildren }) => (
  <button type="button" class="icon" aria-label={label} title={label} onClick={onClick}>
    {children}
  </button>
);

const IconTool = ({ icon, ...rest }: ToolProps & { readonly icon: IconName }) => (
  <Tool {...rest}>
    <Icon name={icon} />
  </Tool>
);

/** Tests for a channel of the archive: it takes no answers, and all of it counts as read. */
const isArchived = ({ stream_id: id }: Message, { store }: FeedScope): boolean =>
  id !== undefined && store.directory.channel(id)?.isArchived === true;

/** All that can be done to a message. What one may not is refused by the server, in its words. */
function itemsOf(message: Message, scope: FeedScope): readonly MenuItem[] {
  const { store, narrow, feed } = scope;
  const { acts, directory, reading } = store;
  const isOwn = message.sender_id === directory.ownId;
  const isChannel = message.type === 'stream';
  const isStarred = message.flags.includes('starred');
  const offers = directory.offers?.();
  const isWidget = widgetOf(message) !== null;
  const isOpen = !isArchived(message, scope);
  const open = (act: 'versions' | 'readers' | 'report' | 'forward') => () =>
    openPanel({ about: 'message', act, message });
  const items: (MenuItem | false)[] = [
    isOpen && {
      label: 'Quote',
      icon: 'quote',
      onSelect: () => attempt(scope, quote(message, scope)),
    },
    { label: 'Forward', icon: 'send', onSelect: open('forward') },
    isOwn &&
      !isWidget && {
        label: 'Edit',
        icon: 'edit',
        onSelect: () => attempt(scope, acts.beginEdit(message.id)),
      },
    {
      label: isStarred ? 'Take the star off' : 'Star',
      icon: 'star',
      onSelect: () => attempt(scope, acts.star(message)),
    },
    ...copyItems(message, scope),
    {
      label: 'Remind me of it',
      icon: 'clock',
      onSelect: () =>
        openPanel({
          about: 'when',
          title: 'Remind me',
          take: (atMs) => remind(message.id, atMs),
        }),
    },
    isOpen && {
      label: 'Mark as unread from here',
      icon: 'inbox',
      onSelect: () => attempt(scope, reading.markUnreadFrom(message.id, { narrow, key: feed.key })),
    },
    offers?.readers === true && {
      label: 'Who has read it',
      icon: 'people',
      onSelect: open('readers'),
    },
    offers?.versions === true &&
      (message.last_edit_timestamp ?? message.last_moved_timestamp) !== undefined && {
        label: 'Earlier versions',
        icon: 'all',
        onSelect: open('versions'),
      },
    isChannel && {
      label: 'Move messages',
      icon: 'move',
      onSelect: () => {
        store.asking.value = { about: 'move', message };
      },
    },
    isChannel &&
      message.subject !== '' && {
        label: isResolved(message.subject) ? 'Open the topic again' : 'Resolve the topic',
        icon: 'check',
        onSelect: () => attempt(scope, acts.resolve(message)),
      },
    offers?.reports === true &&
      !isOwn && {
        label: 'Report',
        icon: 'at',
        onSelect: open('report'),
      },
    {
      label: 'Delete',
      icon: 'trash',
      isGrave: true,
      onSelect: () => {
        store.asking.value = { about: 'delete', message };
      },
    },
  ];
  return items.filter((item) => item !== false);
}

const copyItems = (message: Message, scope: FeedScope): readonly MenuItem[] => [
  {
    label: 'Copy link',
    icon: 'link',
    onSelect: () => attempt(scope, copyLink(message, scope), 'The link is copied.'),
  },
  {
    label: 'Copy text',
    icon: 'file',
    onSelect: () => attempt(scope, copyText(message, scope), 'The text is copied.'),
  },
];

export async function quote(message: Message, scope: FeedScope): Promise<void> {
  const text = await scope.store.acts.quote(message, linkTo(message, scope));
  scope.reply?.(message, text);
}

const copyText = async ({ id }: Message, { store }: FeedScope) => copy(await store.acts.source(id));

const copyLink = (message: Message, scope: FeedScope) =>
  copy(`${location.origin}/${linkTo(message, scope)}`);
