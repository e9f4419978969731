import type { Message } from '../../store/feed/message.ts';
import { addedTask, struck, type TaskAction, taskListOf } from '../../store/widgets/todo.ts';
import { attempt, useFeed } from '../feed/context.ts';
import { OneLineForm } from './one-line-form.tsx';
import { WidgetTitle } from './widget-title.tsx';

/** A list of tasks, which everybody may tick off and add to. */
export function TodoView({ message }: { readonly message: Message }) {
  const scope = useFeed();
  const { acts, directory } = scope.store;
  const { ownId } = directory;
  const list = taskListOf(message);
  const act = (action: TaskAction) => attempt(scope, acts.actOnWidget(message.id, action));
  const done = list.tasks.filter(({ isDone }) => isDone).length;
  return (
    <section class="widget" aria-label="To-do list">
      <WidgetTitle
        title={list.title}
        ifEmpty="To do"
        of="title"
        onChange={
          message.sender_id === ownId
            ? (title) => act({ type: 'new_task_list_title', title })
            : undefined
        }
      />
      <ul class="tasks">
        {list.tasks.map((task) => (
          <li key={task.key}>
            <label class="check">
              <input
                type="checkbox"
                checked={task.isDone}
                onChange={({ currentTarget }) => {
                  // The event of the server ticks it, for everybody at once.
                  currentTarget.checked = task.isDone;
                  act(struck(task));
                }}
              />
              <span class={task.isDone ? 'done' : ''}>
                {task.task}
                {task.about === '' ? null : <small>{task.about}</small>}
              </span>
            </label>
          </li>
        ))}
      </ul>
      <OneLineForm
        label="Another task: more about it"
        submit="Add"
        onSubmit={(text) => {
          const action = addedTask(message, list, { text, userId: ownId });
          if (action === null) scope.say?.('That task is there already.');
          else act(action);
          return action !== null;
        }}
      />
      <p class="muted">
        {done} of {list.tasks.length} done
      </p>
    </section>
  );
}
