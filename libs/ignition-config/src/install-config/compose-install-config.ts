import { checkInstallConfig } from './check-install-config';
import type { InstallConfig, InstallConfigInput } from './install-config-input';
import { overrideInstallConfig } from './override-install-config';
import { renderInstallConfig } from './render-install-config';

export type ComposedInstallConfig =
  | {
      readonly kind: 'composed';
      readonly config: InstallConfig;
      /** What would make the installation fail at its first step, one sentence each. */
      readonly problems: readonly string[];
    }
  | { readonly kind: 'refused'; readonly reason: string };

/** The document with the cluster's overrides: what the installer is given. */
export function composeInstallConfig(input: InstallConfigInput): ComposedInstallConfig {
  const overridden = overrideInstallConfig(renderInstallConfig(input), input.overrides);
  if (overridden.kind === 'refused') return overridden;
  const { config } = overridden;
  return { kind: 'composed', config, problems: checkInstallConfig(config, input) };
}
