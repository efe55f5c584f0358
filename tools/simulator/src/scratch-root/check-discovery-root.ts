import { existsSync, lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const AGENT_UNIT = '/etc/systemd/system/agent.service';
const AGENT_WANTED = '/etc/systemd/system/multi-user.target.wants/agent.service';

/** Looks for what makes a machine report itself: an agent that is started, and every program that it needs before. */
export function checkDiscoveryRoot(root: string): void {
  const place = join(root, AGENT_UNIT);
  if (!existsSync(place)) throw new Error(`The image starts no agent: ${AGENT_UNIT} is missing.`);
  if (!lstatSync(join(root, AGENT_WANTED), { throwIfNoEntry: false }))
    throw new Error('The image does not start its agent: the unit is not enabled.');
  const programs = [...readFileSync(place, 'utf8').matchAll(/^ExecStartPre=(\/usr\/local\/bin\/\S+)/gm)];
  for (const [, program = ''] of programs)
    if (!existsSync(join(root, program)))
      throw new Error(`The agent needs ${program}, and the image does not bring it.`);
}
