import type { Person } from '../shapes.ts';

/** Returns people by words of their names or addresses, the names that begin so first. */
export function foundPeople(
  all: Iterable<Person>,
  text: string,
  max: number,
  isWanted: (person: Person) => boolean = () => true,
): readonly Person[] {
  const words = text.trim().toLowerCase().split(/\s+/).filter(Boolean);
  const found: { person: Person; isFirst: boolean }[] = [];
  for (const person of all) {
    if (!person.isActive || !isWanted(person)) continue;
    const name = person.name.toLowerCase();
    const whole = `${name} ${person.email.toLowerCase()}`;
    if (!words.every((word) => whole.includes(word))) continue;
    found.push({ person, isFirst: name.startsWith(words[0] ?? '') });
  }
  return found
    .sort(
      (one, other) =>
        Number(other.isFirst) - Number(one.isFirst) ||
        one.person.name.localeCompare(other.person.name),
    )
    .slice(0, max)
    .map(({ person }) => person);
}
