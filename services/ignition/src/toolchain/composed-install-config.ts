import { composeInstallConfig, type InstallConfig } from '@muster/ignition-config';
import { installConfigOf } from './install-config-input';
import { ArtifactsRefused, type InstallRequest } from './toolchain.port';

/** With the cluster's overrides. Throws ArtifactsRefused with everything that is wrong with it. */
export function composedInstallConfig(order: InstallRequest): InstallConfig {
  const composed = composeInstallConfig(installConfigOf(order));
  if (composed.kind === 'refused') throw new ArtifactsRefused(composed.reason);
  if (composed.problems.length > 0) throw new ArtifactsRefused(composed.problems.join(' '));
  return composed.config;
}
