import { linksFor, type Playground } from '../../store/messages/playgrounds.ts';

/** Adds to a block of code the links that open it where it can be tried out. */
export function addPlaygroundLinks(block: HTMLElement, playgrounds: readonly Playground[]): void {
  const language = block.dataset['codeLanguage'] ?? '';
  const code = block.querySelector('pre')?.textContent ?? '';
  const links = linksFor({ language, code }, playgrounds);
  if (links.length === 0 || block.querySelector('.playgrounds') !== null) return;
  const line = document.createElement('p');
  line.className = 'playgrounds';
  for (const { name, url } of links) {
    const link = document.createElement('a');
    link.href = url;
    link.target = '_blank';
    link.rel = 'noopener noreferrer';
    link.textContent = `Try it in ${name}`;
    line.append(link);
  }
  block.append(line);
}
