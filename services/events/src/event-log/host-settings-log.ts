import type { EventData } from '@muster/contracts';
import type { HostSubject, LogEntry } from './log-entry';

export function settingsLog({ changes }: EventData<'HostSettingsRevised'>, { name }: HostSubject): readonly LogEntry[] {
  const props = { host_name: name };
  const entries: LogEntry[] = [];
  if (changes?.installerArgs !== undefined)
    entries.push({
      name: 'host_installer_args_applied',
      severity: 'info',
      message: `The installer arguments of host ${name} were set.`,
      props,
    });
  if (changes?.ignitionConfigOverrides)
    entries.push({
      name: 'host_discovery_ignition_config_applied',
      severity: 'info',
      message: `The ignition override of host ${name} was set.`,
      props,
    });
  return entries;
}
