import { type Signal, signal } from '@preact/signals';
import { type Calls, type Emoji, type Message, resolvedAs } from './message.ts';

/** How many messages a move takes: one, those after it as well, or the whole topic. */
export type MoveMode = 'change_one' | 'change_later' | 'change_all';

export interface Move {
  readonly channelId: number;
  readonly topic: string;
  readonly mode: MoveMode;
  readonly tellsOldTopic: boolean;
  readonly tellsNewTopic: boolean;
}

/** A message that is being edited, as Markdown. */
export interface Editing {
  readonly id: number;
  readonly content: string;
}

/**
 * The acts of people on messages. Each rejects with the server's refusal; events bring what
 * follows.
 */
export class Acts {
  readonly editing: Signal<Editing | null> = signal(null);
  readonly #calls: Calls;
  readonly #ownId: number;

  constructor(calls: Calls, ownId: number) {
    this.#calls = calls;
    this.#ownId = ownId;
  }

  /** Fetches the Markdown of a message. */
  async source(id: number): Promise<string> {
    const reply = await this.#calls.call('GET', '/messages/{message_id}', {
      message_id: id,
      apply_markdown: false,
      allow_empty_topic_name: true,
    });
    return (reply as { raw_content: string }).raw_content; // the server's own answer
  }

  async beginEdit(id: number): Promise<void> {
    this.editing.value = { id, content: await this.source(id) };
  }

  endEdit(): void {
    this.editing.value = null;
  }

  /** Replaces the text of a message. A text that another tab wrote meanwhile is not overwritten. */
  async edit(id: number, content: string): Promise<void> {
    const before = this.editing.value;
    if (before === null || content === before.content) {
      this.endEdit();
      return;
    }
    await this.#calls.call('PATCH', '/messages/{message_id}', {
      message_id: id,
      content,
      ...(await hashOf(before.content)),
    });
    this.endEdit();
  }

  async remove(id: number): Promise<void> {
    await this.#calls.call('DELETE', '/messages/{message_id}', { message_id: id });
  }

  /** Adds a reaction, or takes one's own back. */
  async react(message: Message, emoji: Emoji): Promise<void> {
    const isThere = message.reactions.some(
      (one) =>
        one.user_id === this.#ownId &&
        one.emoji_code === emoji.emoji_code &&
        one.reaction_type === emoji.reaction_type,
    );
    await this.#calls.call(isThere ? 'DELETE' : 'POST', '/messages/{message_id}/reactions', {
      message_id: message.id,
      emoji_name: emoji.emoji_name,
      emoji_code: emoji.emoji_code,
      reaction_type: emoji.reaction_type,
    });
  }

  /** Votes in a poll, or does something else with what a message is drawn as. */
  async actOnWidget(id: number, action: object): Promise<void> {
    const content = JSON.stringify(action);
    await this.#calls.call('POST', '/submessage', { message_id: id, msg_type: 'widget', content });
  }

  async star({ id, flags }: Message): Promise<void> {
    const op = flags.includes('starred') ? 'remove' : 'add';
    await this.#calls.call('POST', '/messages/flags', { messages: [id], op, flag: 'starred' });
  }

  async move({ id, stream_id }: Message, move: Move): Promise<void> {
    await this.#calls.call('PATCH', '/messages/{message_id}', {
      message_id: id,
      topic: move.topic,
      ...(move.channelId === stream_id ? {} : { stream_id: move.channelId }),
      propagate_mode: move.mode,
      send_notification_to_old_thread: move.tellsOldTopic,
      send_notification_to_new_thread: move.tellsNewTopic,
    });
  }

  /** Resolves the topic of a message, or opens it again. */
  async resolve({ id, subject }: Message): Promise<void> {
    await this.#calls.call('PATCH', '/messages/{message_id}', {
      message_id: id,
      topic: resolvedAs(subject),
      propagate_mode: 'change_all',
      send_notification_to_old_thread: false,
      send_notification_to_new_thread: true,
    });
  }

  /** Returns the Markdown that quotes a message, with a link to it. */
  async quote(message: Message, link: string): Promise<string> {
    const content = await this.source(message.id);
    // A fence inside needs a longer one around it.
    const longest = Math.max(2, ...[...content.matchAll(/`{3,}/g)].map(([ticks]) => ticks.length));
    const fence = '`'.repeat(longest + 1);
    const name = `@_**${message.sender_full_name}|${message.sender_id}**`;
    return `${name} [said](${link}):\n${fence}quote\n${content}\n${fence}\n`;
  }
}

/** Browsers have no hash on pages without TLS, save those of this machine. */
async function hashOf(content: string): Promise<object> {
  const { subtle } = globalThis.crypto;
  if (subtle === undefined) return {};
  const digest = await subtle.digest('SHA-256', new TextEncoder().encode(content));
  const hex = [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0'));
  return { prev_content_sha256: hex.join('') };
}
