import { formatPath } from '../shape/shape';
import type { InstallConfig, InstallConfigInput } from './install-config-input';
import { INSTALL_CONFIG_SHAPE } from './install-config-shape';
import { effectivePlatform } from './platform-section';

/** Why an installation with this config would fail at its first step, one sentence each; empty when it would not. */
export function checkInstallConfig(config: InstallConfig, input: InstallConfigInput): readonly string[] {
  const problems: string[] = [];
  INSTALL_CONFIG_SHAPE(config, [], (path, problem) => problems.push(`install-config, ${formatPath(path)}: ${problem}`));
  if (effectivePlatform(input) === 'baremetal')
    for (const { hostname, bootMacAddress } of input.hosts)
      if (bootMacAddress === '')
        problems.push(
          `Host ${hostname} has no port with an address in a machine network; give it one and install again.`,
        );
  return problems;
}
