import { join } from 'node:path';
import { tmpdir } from 'node:os';
import type { SettingsReader } from '@muster/nest-kit';

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
  /** User and group id of the installer where the service runs as root. */
  readonly installerUserId: number;
  readonly installerMemoryBytes: number;
  readonly proxyEnvironment: { readonly [name: string]: string };
}

const PROXY_VARIABLES = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY'] as const;

export function readOpenshiftInstallSettings(settings: SettingsReader): OpenshiftInstallSettings {
  return {
    installerPath: settings.get('OPENSHIFT_INSTALL_PATH'),
    ocPath: settings.get('OC_PATH'),
    workDirectory: settings.get('WORK_DIR') ?? join(tmpdir(), 'muster-ignition'),
    certificatesDirectory: settings.get('EPHEMERAL_INSTALLER_CLUSTER_TLS_CERTS_OVERRIDE_DIR'),
    timeoutMs: settings.get('OPENSHIFT_INSTALL_TIMEOUT'),
    installerUserId: settings.get('OPENSHIFT_INSTALL_USER_ID'),
    installerMemoryBytes: settings.get('OPENSHIFT_INSTALL_MEMORY_MAX'),
    proxyEnvironment: Object.fromEntries(
      PROXY_VARIABLES.flatMap((name): [string, string][] => {
        const value = settings.get(name);
        return value ? [[name, value]] : [];
      }),
    ),
  };
}
