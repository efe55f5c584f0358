import { readFileSync } from 'node:fs';
import { DEFAULT_RELEASE_IMAGES } from '@muster/assisted-api';
import { parseRegistries, type RegistryMirror, type RegistrySettings } from '@muster/ignition-config';
import { readAuthType, readCertificates, SettingError, type SettingsReader } from '@muster/nest-kit';

/** The registry mirrors that all hosts and clusters use. */
export interface ServiceRegistries {
  /** Absent: images are read from the registries in their names. */
  readonly settings: RegistrySettings | undefined;
  readonly mirrors: readonly RegistryMirror[];
  /**
   * Registries, with an optional path, in which the mirrors of a cluster may be, because the service runs a program from its release.
   * `any`: all users are administrators.
   */
  readonly permittedMirrors: 'any' | readonly string[];
}

const WITH_AUTHORITIES =
  'the path of the registries.conf that names the mirrors, which MIRROR_REGISTRIES_CA_PATH needs. ' +
  'For a registry that is no mirror, use additional_trust_bundle of the infra-env';

/**
 * Reads the files once.
 * @throws SettingError when a file is missing or not valid, and for certificate authorities without mirrors
 */
export function readRegistries(settings: SettingsReader): ServiceRegistries {
  const path = settings.get('MIRROR_REGISTRIES_CONF_PATH');
  const caPath = settings.get('MIRROR_REGISTRIES_CA_PATH');
  if (!path && caPath) throw new SettingError('MIRROR_REGISTRIES_CONF_PATH', '', WITH_AUTHORITIES);
  if (!path) return { settings: undefined, mirrors: [], permittedMirrors: permittedIn(settings, []) };
  const registriesConf = textOf('MIRROR_REGISTRIES_CONF_PATH', path);
  const parsed = parseRegistries(registriesConf);
  if (parsed.kind === 'refused')
    throw new SettingError('MIRROR_REGISTRIES_CONF_PATH', path, `a registries.conf. ${parsed.reason}`);
  return {
    settings: {
      registriesConf,
      caPem: readCertificates(settings, 'MIRROR_REGISTRIES_CA_PATH') ?? '',
      takesUnsigned: settings.get('FORCE_INSECURE_POLICY_JSON'),
    },
    mirrors: parsed.mirrors,
    permittedMirrors: permittedIn(settings, parsed.mirrors),
  };
}

/** The rule for release images of users, as the gateway applies it. */
function permittedIn(
  settings: SettingsReader,
  ofService: readonly RegistryMirror[],
): ServiceRegistries['permittedMirrors'] {
  // With other types of authentication every user is an administrator.
  if (readAuthType(settings) !== 'oidc') return 'any';
  const releases = settings.get('RELEASE_IMAGES') ?? DEFAULT_RELEASE_IMAGES;
  return [
    ...settings.get('ALLOWED_RELEASE_REGISTRIES'),
    ...releases.map(({ url }) => url.replace(/@.*$/, '').replace(/:[^/:]*$/, '')),
    ...ofService.flatMap(({ mirrors }) => mirrors),
  ];
}

function textOf(setting: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    throw new SettingError(setting, path, 'a file that can be read');
  }
}
