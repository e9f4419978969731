import { parentPort } from 'node:worker_threads';

/**
 * Runs an expression on each attack, as the source runs such expressions; says before each attack which it is, so that the
 * one that does not end is known.
 */
parentPort.on('message', ({ pattern, flags, isOfLines, attacks, length, allowedMs }) => {
  const expression = new RegExp(pattern, flags);
  for (const [index, { head, pump, tail }] of attacks.entries()) {
    parentPort.postMessage({ begun: index });
    const text = head + pump.repeat(Math.ceil(length / pump.length)) + tail;
    const started = process.cpuUsage();
    run(expression, text, isOfLines);
    const { user, system } = process.cpuUsage(started);
    const ms = (user + system) / 1_000;
    if (ms > allowedMs) {
      parentPort.postMessage({ slow: index, ms });
      return;
    }
  }
  parentPort.postMessage({ done: true });
});

/** A rule of the parser asks anywhere, or where a line begins. */
function run(expression, text, isOfLines) {
  if (expression.sticky) {
    for (let at = 0; at < text.length; at += 1) {
      if (isOfLines && at > 0 && text[at - 1] !== '\n') continue;
      expression.lastIndex = at;
      expression.test(text);
    }
  } else if (expression.global) {
    text.replace(expression, '');
    expression.lastIndex = 0;
  } else expression.test(text);
}
