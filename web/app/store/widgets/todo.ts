import type { Message } from '../feed/message.ts';
import { CANNED, fieldsIn, listIn, nextIndex, textIn, valueIn } from './widget.ts';

export interface Task {
  readonly key: string;
  readonly task: string;
  readonly about: string;
  readonly isDone: boolean;
}

export interface TaskList {
  readonly title: string;
  readonly tasks: readonly Task[];
}

/** Something that is done to a list of tasks, as it is posted. */
export type TaskAction =
  | { readonly type: 'strike'; readonly key: string }
  | {
      readonly type: 'new_task';
      readonly key: number;
      readonly task: string;
      readonly desc: string;
      readonly completed: false;
    }
  | { readonly type: 'new_task_list_title'; readonly title: string };

/** Returns a list of tasks as its submessages say; a task that is there already stays as it is. */
export function taskListOf(message: Pick<Message, 'submessages' | 'sender_id'>): TaskList {
  const [first, ...rest] = message.submessages ?? [];
  const given = fieldsIn(first === undefined ? {} : valueIn(first)['extra_data']);
  const tasks = new Map<string, Task>();
  const add = (key: string, task: string, about: string) => {
    const isThere = tasks.has(key) || [...tasks.values()].some((one) => one.task === task);
    if (task !== '' && !isThere) tasks.set(key, { key, task, about, isDone: false });
  };
  let title = textIn(given['task_list_title']);
  for (const [index, one] of listIn(given['tasks']).entries()) {
    const { task, desc } = fieldsIn(one);
    add(`${CANNED},${index}`, textIn(task), textIn(desc));
  }
  for (const submessage of rest) {
    const { sender_id: by } = submessage;
    const action = valueIn(submessage);
    if (action['type'] === 'new_task') {
      add(`${by},${action['key']}`, textIn(action['task']), textIn(action['desc']));
    }
    if (action['type'] === 'new_task_list_title' && by === message.sender_id) {
      title = textIn(action['title']);
    }
    const struck = action['type'] === 'strike' ? tasks.get(textIn(action['key'])) : undefined;
    if (struck !== undefined) tasks.set(struck.key, { ...struck, isDone: !struck.isDone });
  }
  return { title, tasks: [...tasks.values()] };
}

export const struck = ({ key }: Task): TaskAction => ({ type: 'strike', key });

/**
 * Returns the action that adds a task; null if nothing or what is there would be added. What
 * follows a colon says more of it, as in the message that begins a list.
 */
export function addedTask(
  { submessages }: Pick<Message, 'submessages' | 'sender_id'>,
  list: TaskList,
  { text, userId }: { readonly text: string; readonly userId: number },
): TaskAction | null {
  const [task = '', desc = ''] = partsOf(text);
  if (task === '' || list.tasks.some((one) => one.task === task)) return null;
  const used = (submessages ?? []).flatMap((one) => {
    const { type, key } = valueIn(one);
    return type === 'new_task' ? [`${one.sender_id},${key}`] : [];
  });
  return { type: 'new_task', key: nextIndex(used, userId), task, desc, completed: false };
}

function partsOf(text: string): readonly string[] {
  const colon = text.indexOf(': ');
  return colon < 0 ? [text.trim()] : [text.slice(0, colon).trim(), text.slice(colon + 2).trim()];
}
