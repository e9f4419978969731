import { z } from 'zod';

/**
 * Polls and lists of tasks, which clients draw in place of a message (reference/endpoints.md 5.8).
 */
const poll = z.strictObject({
  widget_type: z.literal('poll'),
  extra_data: z.strictObject({ question: z.string(), options: z.array(z.string()) }),
});

const todo = z.strictObject({
  widget_type: z.literal('todo'),
  extra_data: z.strictObject({
    task_list_title: z.string(),
    tasks: z.array(z.strictObject({ task: z.string(), desc: z.string() })),
  }),
});

export const widget = z.discriminatedUnion('widget_type', [poll, todo]);
export type Widget = z.infer<typeof widget>;

const index = z.int().min(0);
const key = z.string().regex(/^(?:canned|\d{1,15}),\d{1,15}$/);

/**
 * The actions that clients can take on a widget; those that only its author may take are listed in
 * `OF_AUTHOR`.
 */
const ACTIONS = {
  poll: z.discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('vote'),
      key,
      vote: z.union([z.literal(1), z.literal(-1)]),
    }),
    z.strictObject({ type: z.literal('new_option'), idx: index, option: z.string() }),
    z.strictObject({ type: z.literal('question'), question: z.string() }),
  ]),
  todo: z.discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('new_task'),
      key: index,
      task: z.string(),
      desc: z.string(),
      completed: z.literal(false),
    }),
    z.strictObject({ type: z.literal('strike'), key }),
    z.strictObject({ type: z.literal('new_task_list_title'), title: z.string() }),
  ]),
} as const;

const OF_AUTHOR: ReadonlySet<string> = new Set(['question', 'new_task_list_title']);

/** Returns why an action cannot be taken on a widget; undefined if it can. */
export function faultOfAction(
  value: unknown,
  { type, isAuthor }: { type: Widget['widget_type']; isAuthor: boolean },
): string | undefined {
  const action = ACTIONS[type].safeParse(value);
  if (!action.success) return 'Invalid data for this widget.';
  if (OF_AUTHOR.has(action.data.type) && !isAuthor) {
    return 'Only the author of a widget can change its title.';
  }
  return undefined;
}

const COMMAND = /^\/(poll|todo)(?=\s|$)/;

/** Returns the widget that a message asks for by its first word. */
export function widgetOf(content: string): Widget | undefined {
  const [command, name] = COMMAND.exec(content) ?? [];
  if (command === undefined) return undefined;
  const [title = '', ...rest] = content.slice(command.length).split(/\r\n|\r|\n/);
  const lines = rest.map((line) => line.replace(BULLET, '').trim()).filter((line) => line !== '');
  if (name === 'poll') {
    return { widget_type: 'poll', extra_data: { question: title.trim(), options: lines } };
  }
  const tasks = lines.map(taskOf);
  return { widget_type: 'todo', extra_data: { task_list_title: title.trim(), tasks } };
}

/** Lines may be written as a list. */
const BULLET = /^\s*(?:[-*]\s*)?/;

function taskOf(line: string) {
  const colon = line.indexOf(': ');
  if (colon < 0) return { task: line, desc: '' };
  return { task: line.slice(0, colon).trim(), desc: line.slice(colon + 2).trim() };
}
