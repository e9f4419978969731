/** Returns the value of a key in a map; it is made, and kept there, at its first use. */
export function madeIn<Key, Value>(
  map: Map<Key, Value>,
  key: Key,
  make: (key: Key) => Value,
): Value {
  let value = map.get(key);
  if (value === undefined) {
    value = make(key);
    map.set(key, value);
  }
  return value;
}

/**
 * Returns a function that makes the value of each key once. It keeps all of them, so it is for one
 * request, or one list.
 */
export function oncePerKey<Key, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const made = new Map<Key, Value>();
  return (key) => madeIn(made, key, make);
}
