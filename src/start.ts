import { refuseOldNode, refuseSystem } from './node-version.ts';

// The server is loaded after the version is known to do: Node refuses a file that imports what it
// does not have before it runs any of it.
refuseOldNode();
try {
  await import('./main.ts');
} catch (error) {
  refuseSystem(error);
  throw error;
}
