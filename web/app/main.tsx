import { render } from 'preact';

render(<h1>confab</h1>, document.body);
