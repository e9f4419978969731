import { Avatar } from '../../parts/avatar.tsx';
import { Icon } from '../../parts/icon.tsx';
import type { Choice } from '../../store/compose/completion.ts';
import { isResolved, topicLabel } from '../../store/shapes.ts';
import { charactersOf } from '../feed/body.tsx';

export function choiceKey(choice: Choice): string {
  switch (choice.kind) {
    case 'person':
      return `person ${choice.person.id}`;
    case 'group':
      return `group ${choice.group.id}`;
    case 'channel':
      return `channel ${choice.channel.id}`;
    case 'topic':
      return `topic ${choice.topic}`;
    case 'emoji':
      return `emoji ${choice.emoji.emoji_code}`;
    default:
      return choice.name;
  }
}

/** A line of what may be meant. */
export function ChoiceLine({ choice }: { readonly choice: Choice }) {
  switch (choice.kind) {
    case 'person':
      return (
        <>
          <Avatar person={choice.person} size="s" />
          <span class="cut">{choice.person.name}</span>
          <span class="muted cut">{choice.person.email}</span>
        </>
      );
    case 'group':
      return (
        <>
          <Icon name="people" />
          <span class="cut">{choice.group.name}</span>
          <span class="muted">{choice.group.memberCount} people</span>
        </>
      );
    case 'channel':
      return (
        <>
          <span class="hash" style={{ color: choice.channel.color }} aria-hidden="true">
            #
          </span>
          <span class="cut">{choice.channel.name}</span>
          <span class="muted cut">{choice.channel.description}</span>
        </>
      );
    case 'topic':
      return (
        <span class="cut">
          {isResolved(choice.topic) ? '✔ ' : ''}
          {topicLabel(choice.topic)}
        </span>
      );
    case 'emoji':
      return (
        <>
          <span class="emoji">{charactersOf(choice.emoji.emoji_code)}</span>
          <span class="cut">:{choice.name}:</span>
        </>
      );
    default:
      return (
        <>
          <Icon name="at" />
          <span>{choice.name}</span>
          <span class="muted cut">{choice.meaning}</span>
        </>
      );
  }
}
