import { join } from 'node:path';
import { tmpdir } from 'node:os';
import type { Environment, SettingsReader } from '@muster/nest-kit';

/** How the release's own installer is got and run. */
export interface OpenshiftInstallSettings {
  /** Used for every release; undefined: each release's own is fetched. */
  readonly installerPath: string | undefined;
  /** Fetches installers out of release images. */
  readonly ocPath: string;
  /** Where installers are kept and installations are made; only this service may read it. */
  readonly workDirectory: string;
  /** Folder with certificates and keys that clusters get instead of generated ones. */
  readonly certificatesDirectory: string | undefined;
  readonly timeoutMs: number;
  readonly proxyEnvironment: { readonly [name: string]: string };
}

const RUN_MINUTES_MAX = 10;
const PROXY_VARIABLES = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY'];

export function readOpenshiftInstallSettings(
  settings: SettingsReader,
  environment: Environment,
): OpenshiftInstallSettings {
  return {
    installerPath: settings.optionalText('OPENSHIFT_INSTALL_PATH'),
    ocPath: settings.text('OC_PATH', 'oc'),
    workDirectory: settings.text('WORK_DIR', join(tmpdir(), 'muster-ignition')),
    certificatesDirectory: settings.optionalText('EPHEMERAL_INSTALLER_CLUSTER_TLS_CERTS_OVERRIDE_DIR'),
    timeoutMs: settings.durationMs('OPENSHIFT_INSTALL_TIMEOUT', RUN_MINUTES_MAX * 60_000),
    proxyEnvironment: Object.fromEntries(
      PROXY_VARIABLES.flatMap((name): [string, string][] => {
        const value = environment[name];
        return value ? [[name, value]] : [];
      }),
    ),
  };
}
