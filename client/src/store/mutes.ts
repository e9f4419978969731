import { type ChannelSettings, MUTED, type TopicPolicy, topicKey } from './objects.ts';

/** Decisions of the user about topics. With the settings of channels they tell what is muted. */
export class Mutes {
  /** By channel, then by the topic in lower case. */
  readonly policies = new Map<number, Map<string, TopicPolicy>>();
  readonly #subscriptions: ReadonlyMap<number, ChannelSettings>;

  constructor(
    policies: readonly TopicPolicy[],
    subscriptions: ReadonlyMap<number, ChannelSettings>,
  ) {
    this.#subscriptions = subscriptions;
    for (const policy of policies) this.set(policy);
  }

  /** A policy of 0 takes back what was decided. */
  set(policy: TopicPolicy): void {
    const { stream_id: channelId, topic_name: topic } = policy;
    const ofChannel = this.policies.get(channelId) ?? new Map<string, TopicPolicy>();
    if (policy.visibility_policy === 0) ofChannel.delete(topicKey(topic));
    else ofChannel.set(topicKey(topic), policy);
    if (ofChannel.size === 0) this.policies.delete(channelId);
    else this.policies.set(channelId, ofChannel);
  }

  /** Returns 0 where nothing was decided, else `MUTED`, `UNMUTED` or `FOLLOWED`. */
  policyOf(channelId: number, topic: string): number {
    return this.policies.get(channelId)?.get(topicKey(topic))?.visibility_policy ?? 0;
  }

  isChannelMuted(channelId: number): boolean {
    return this.#subscriptions.get(channelId)?.is_muted === true;
  }

  /** In a muted channel only those topics are heard about which the user decided otherwise. */
  isMuted(channelId: number, topic: string): boolean {
    const policy = this.policyOf(channelId, topic);
    return policy === MUTED || (policy === 0 && this.isChannelMuted(channelId));
  }
}
