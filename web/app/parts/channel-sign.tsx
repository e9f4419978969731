import type { Channel } from '../store/shapes.ts';
import { Icon } from './icon.tsx';

/** The sign before the name of a channel, in its colour. */
export const ChannelSign = ({ channel }: { readonly channel: Channel }) => (
  <Icon name={channel.isPrivate ? 'lock' : 'hash'} hue={channel.color} />
);
