import { readFileSync } from 'node:fs';
import { DEFAULT_RELEASE_IMAGES } from '@muster/assisted-api';
import { parseRegistries, type RegistryMirror, type RegistrySettings } from '@muster/ignition-config';
import { readAuthType, readCertificates, type SettingsReader } from '@muster/nest-kit';

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

/** Reads the files once. Rejects a file that is missing or not valid, and certificate authorities without mirrors. */
export function readRegistries(settings: SettingsReader): ServiceRegistries {
  const path = settings.get('MIRROR_REGISTRIES_CONF_PATH');
  const caPath = settings.get('MIRROR_REGISTRIES_CA_PATH');
  if (!path && caPath) settings.reject('MIRROR_REGISTRIES_CONF_PATH', '', WITH_AUTHORITIES);
  const file = path ? readConf(path) : undefined;
  if (path && typeof file === 'string') settings.reject('MIRROR_REGISTRIES_CONF_PATH', path, file);
  if (!file || typeof file === 'string')
    return { settings: undefined, mirrors: [], permittedMirrors: permittedIn(settings, []) };
  return {
    settings: {
      registriesConf: file.text,
      caPem: readCertificates(settings, 'MIRROR_REGISTRIES_CA_PATH') ?? '',
      takesUnsigned: settings.get('FORCE_INSECURE_POLICY_JSON'),
    },
    mirrors: file.mirrors,
    permittedMirrors: permittedIn(settings, file.mirrors),
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

/** Returns the text of a registries.conf and its mirrors, or what is expected of a file that is none. */
function readConf(path: string): { readonly text: string; readonly mirrors: readonly RegistryMirror[] } | string {
  try {
    const text = readFileSync(path, 'utf8');
    const parsed = parseRegistries(text);
    return parsed.kind === 'refused' ? `a registries.conf. ${parsed.reason}` : { text, mirrors: parsed.mirrors };
  } catch {
    return 'a file that can be read';
  }
}
