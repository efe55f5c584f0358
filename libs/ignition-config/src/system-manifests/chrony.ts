import type { IgnitionFile } from '../config/ignition-config';
import { MODE_READABLE, textFile } from '../config/ignition-file';

const SYSTEM_POOL = 'pool 0.rhel.pool.ntp.org iburst';
const SETTINGS = [
  'sourcedir /run/chrony-dhcp',
  'driftfile /var/lib/chrony/drift',
  'makestep 1.0 3',
  'rtcsync',
  'logdir /var/log/chrony',
];

/** The chrony configuration of a node: configured sources, and the default ones unless they are excluded. */
export function chronyFile({
  timeSources,
  isOnlyTime,
}: {
  readonly timeSources: readonly string[];
  readonly isOnlyTime: boolean;
}): IgnitionFile {
  const servers = [...new Set(timeSources)].map((source) => `server ${source.replace(/\s+/g, '')} iburst`);
  const lines = [...(isOnlyTime ? [] : [SYSTEM_POOL]), ...SETTINGS, ...servers];
  return textFile('/etc/chrony.conf', MODE_READABLE, `${lines.join('\n')}\n`);
}
