import type { IgnitionFile, IgnitionUnit } from '../config/ignition-config';
import { MODE_EXECUTABLE, textFile } from '../config/ignition-file';
import type { NtpSettings } from './discovery-input';
import { shellQuote, splitList } from './proxy';

const SCRIPT_PATH = '/usr/local/bin/add-ntp-sources.sh';
const CHRONY_PATH = '/etc/chrony.conf';

const UNIT = `[Unit]
Description=Tell chrony which time sources to use
Before=chronyd.service
After=local-fs.target

[Service]
Type=oneshot
ExecStart=${SCRIPT_PATH}

[Install]
WantedBy=multi-user.target
`;

/** Configures the time sources of chrony: instead of its own when `sources` are given, else besides them. */
export function timeSources(ntp: NtpSettings): {
  readonly files: readonly IgnitionFile[];
  readonly units: readonly IgnitionUnit[];
} {
  const only = splitList(ntp.sources);
  const sources = only.length > 0 ? only : splitList(ntp.additionalSources);
  if (sources.length === 0) return { files: [], units: [] };
  const lines =
    only.length > 0
      ? [...sources.map(serverLine), 'sourcedir /run/chrony-dhcp', 'driftfile /var/lib/chrony/drift', STEP, 'rtcsync']
      : [...sources.map(serverLine), STEP];
  const redirect = only.length > 0 ? '>' : '>>';
  const script = `#!/bin/sh\nprintf '%s\\n' ${lines.map(shellQuote).join(' ')} ${redirect}${CHRONY_PATH}\n`;
  return {
    files: [textFile(SCRIPT_PATH, MODE_EXECUTABLE, script)],
    units: [{ name: 'add-ntp-sources.service', enabled: true, contents: UNIT }],
  };
}

/** However wrong the clock of the machine is, it is set at once. */
const STEP = 'makestep 1.0 -1';
const serverLine = (source: string): string => `server ${source.replace(/\s+/g, '')} iburst`;
