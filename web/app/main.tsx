import { render } from 'preact';
import { Frame } from './views/frame.tsx';

render(<Frame />, document.body);
