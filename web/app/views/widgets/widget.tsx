import { adopt } from '../../parts/adopt.ts';
import type { Message } from '../../store/feed/message.ts';
import { widgetOf } from '../../store/widgets/widget.ts';
import { style } from '../../style/later/widgets.css';
import { PollView } from './poll-view.tsx';
import { TodoView } from './todo-view.tsx';

adopt(style);

/** A message that is drawn as something else than a text. */
export const Widget = ({ message }: { readonly message: Message }) =>
  widgetOf(message) === 'poll' ? <PollView message={message} /> : <TodoView message={message} />;
