import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const ENCAPSULATED_PATH = '/etc/ignition-machine-config-encapsulated.json';
const HOST_NAME = /^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/;

/** Looks for what makes a machine a node of its pool, under a name of its own. Throws with what is missing. */
export function checkNodeRoot(root: string): void {
  const read = (path: string): string | undefined =>
    existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : undefined;
  const name = read('/etc/hostname')?.trim() ?? '';
  if (!HOST_NAME.test(name) || name === 'localhost')
    throw new Error(`The installed system has no name that a node could have: "${name}".`);
  if (read(ENCAPSULATED_PATH) === undefined)
    throw new Error('The installed system did not get the configuration of its pool.');
}
