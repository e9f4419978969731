import { afterAll, beforeAll } from 'vitest';
import { isNatsMissing } from '../../support/cluster/nats-servers.ts';
import { isNetworkMissing } from '../../support/cluster/network.ts';
import { openSite, type Site } from '../../support/cluster/recipes/site.ts';
import { cutRecipes } from './cuts.ts';
import { ownerRecipes } from './owners.ts';
import { queueRecipes } from './queues.ts';

const isLeftOut = isNatsMissing || isNetworkMissing;

// All of these recipes share the servers and the nodes, as each would take ten seconds to start.
let site: Site | undefined;
beforeAll(async () => {
  if (!isLeftOut) site = await openSite(['a', 'b', 'c']);
});
afterAll(async () => site?.close());

function opened(): Site {
  if (site === undefined) throw new Error('The servers and nodes were not started');
  return site;
}

ownerRecipes(opened, isLeftOut);
cutRecipes(opened, isLeftOut);
queueRecipes(opened, isLeftOut);
